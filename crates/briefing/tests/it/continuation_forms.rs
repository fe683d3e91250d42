//! What is next, in the words in which each situation is told: the block, the line of a briefing, the JSON.

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use throughline_briefing::continuation::{as_json, decide, plain};

use crate::continuation::{failing, of, standing, task};
use crate::session::{ledger, place};

/// Both forms, one under the other.
fn check(state: &Value, told: Value, expected: &Expect) {
    let (state, ledger) = (of(state), ledger(told));
    let next = decide(&standing(&state, &ledger));
    let json = as_json(&next);
    let line = next.brief.clone().unwrap_or_else(|| "nothing in a briefing".to_owned());
    expected.assert_eq(&format!("{}\n\n{line}\n\n{json}\n", plain(&next)));
}

fn work() -> Value {
    json!({"id": "SD-1", "title": "Export as CSV", "phase": "phase-1", "progress": 0.4})
}

#[test]
fn a_work_item_that_waits_is_blocked() {
    let mut sd = work();
    sd["blocking"] = "the key of the test server".into();
    check(
        &json!({"sd": sd}),
        json!({"tasks": [task("4", "write the docs", "pending")]}),
        &expect![[r##"
            ---
            ## Next up: settle this first

            **SD-1: Export as CSV** — it waits for: the key of the test server. Once that is there, say so

            `throughline set work --blocking ''`

            No `/clear` needed: work is in hand, and there is room (12 % of the way to the compaction is used).

            Also available:
            - #4: write the docs: `work on task #4: write the docs`

            ---

            Next up: SD-1: Export as CSV is blocked by what it waits for.

            {"variant":"blocked","done":null,"id":"SD-1","title":"Export as CSV","why":"it waits for: the key of the test server. Once that is there, say so","command":"throughline set work --blocking ''","clearFirst":{"advice":"none","why":"work is in hand, and there is room (12 % of the way to the compaction is used)"},"after":null,"alternatives":[{"what":"#4: write the docs","command":"work on task #4: write the docs"}]}
        "##]],
    );
}

#[test]
fn a_question_of_the_agent_that_nobody_answered_blocks() {
    let question = json!({"kind": "question", "quote": "Shall I drop the old table?", "place": place(9)});
    check(
        &json!({}),
        json!({"turn": 9, "findings": [question]}),
        &expect![[r#"
            ---
            ## Next up: settle this first

            **Shall I drop the old table?** — the agent asked this, and nobody has answered

            `ask me again, with what you need to know: Shall I drop the old table?`

            No `/clear` needed: work is in hand, and there is room (12 % of the way to the compaction is used).

            Also available:
            - leave it to the agent: `decide it yourself, say why, and record it as a decision`

            ---

            Next up: the user's answer to what you asked.

            {"variant":"blocked","done":null,"id":null,"title":"Shall I drop the old table?","why":"the agent asked this, and nobody has answered","command":"ask me again, with what you need to know: Shall I drop the old table?","clearFirst":{"advice":"none","why":"work is in hand, and there is room (12 % of the way to the compaction is used)"},"after":null,"alternatives":[{"what":"leave it to the agent","command":"decide it yourself, say why, and record it as a decision"}]}
        "#]],
    );
}

#[test]
fn an_urgent_question_blocks() {
    let question = json!({"id": "Q2", "question": "Which line ending?", "context": "importers differ", "priority": "high"});
    check(
        &json!({"openQuestions": [question]}),
        json!({}),
        &expect![[r#"
            ---
            ## Next up: settle this first

            **Q2: Which line ending?** — this urgent question is open (importers differ)

            `let us settle Q2: Which line ending?`

            No `/clear` needed: work is in hand, and there is room (12 % of the way to the compaction is used).

            Also available:
            - record the answer: `throughline resolve Q2 "your answer"`

            ---

            nothing in a briefing

            {"variant":"blocked","done":null,"id":"Q2","title":"Which line ending?","why":"this urgent question is open (importers differ)","command":"let us settle Q2: Which line ending?","clearFirst":{"advice":"none","why":"work is in hand, and there is room (12 % of the way to the compaction is used)"},"after":null,"alternatives":[{"what":"record the answer","command":"throughline resolve Q2 \"your answer\""}]}
        "#]],
    );
}

#[test]
fn a_check_that_fails_is_told_word_by_word() {
    check(
        &json!({}),
        failing(),
        &expect![[r##"
            ---
            ## Next up: a check fails

            **cargo test -p export fails** — unresolved: "assertion failed: left == right"

            `cd app && cargo test -p export 2>&1 | tail -20`

            No `/clear` needed: work is in hand, and there is room (12 % of the way to the compaction is used).

            Also available:
            - have it mended: `find out why this fails, and mend it: cargo test -p export`
            - #3: quote every field: `work on task #3: quote every field`

            ---

            Next up: what fails, before anything else.

            {"variant":"failing-tests","done":null,"id":null,"title":"cargo test -p export fails","why":"unresolved: \"assertion failed: left == right\"","command":"cd app && cargo test -p export 2>&1 | tail -20","clearFirst":{"advice":"none","why":"work is in hand, and there is room (12 % of the way to the compaction is used)"},"after":null,"alternatives":[{"what":"have it mended","command":"find out why this fails, and mend it: cargo test -p export"},{"what":"#3: quote every field","command":"work on task #3: quote every field"}]}
        "##]],
    );
}

#[test]
fn a_task_in_progress_goes_on() {
    let tasks = [
        task("1", "parse the header", "completed"),
        task("3", "quote every field", "in_progress"),
        task("4", "write the docs", "pending"),
    ];
    check(
        &json!({"sd": work()}),
        json!({"tasks": tasks}),
        &expect![[r##"
            ---
            ## Next up

            **#3: quote every field** — in progress; one more is open

            `continue with task #3: quote every field`

            No `/clear` needed: work is in hand, and there is room (12 % of the way to the compaction is used).

            Also available:
            - #4: write the docs: `work on task #4: write the docs`

            ---

            nothing in a briefing

            {"variant":"in-progress","done":null,"id":"#3","title":"quote every field","why":"in progress; one more is open","command":"continue with task #3: quote every field","clearFirst":{"advice":"none","why":"work is in hand, and there is room (12 % of the way to the compaction is used)"},"after":null,"alternatives":[{"what":"#4: write the docs","command":"work on task #4: write the docs"}]}
        "##]],
    );
}

#[test]
fn without_tasks_the_request_goes_on() {
    let told = json!({
        "turn": 5, "segments": [{"id": "turn-4", "subject": "Skip empty rows in the importer.", "start": 4}],
        "stand": {"phase": "working", "said": "I will look at the parser first.", "act": "edited", "what": "src/a.rs"},
    });
    check(
        &json!({}),
        told,
        &expect![[r#"
            ---
            ## Next up

            **Skip empty rows in the importer.** — in progress; the agent said "I will look at the parser first."

            `go on with this: Skip empty rows in the importer.`

            No `/clear` needed: work is in hand, and there is room (12 % of the way to the compaction is used).

            ---

            nothing in a briefing

            {"variant":"in-progress","done":null,"id":null,"title":"Skip empty rows in the importer.","why":"in progress; the agent said \"I will look at the parser first.\"","command":"go on with this: Skip empty rows in the importer.","clearFirst":{"advice":"none","why":"work is in hand, and there is room (12 % of the way to the compaction is used)"},"after":null,"alternatives":[]}
        "#]],
    );
}

#[test]
fn the_first_open_task_is_next() {
    let tasks = [
        task("1", "parse the header", "completed"),
        task("2", "write rows", "pending"),
        task("", "a row", "pending"),
    ];
    check(
        &json!({"sd": work()}),
        json!({"tasks": tasks}),
        &expect![[r##"
            ---
            ## Next up

            **#2: write rows** — the first of 2 open tasks

            `begin with task #2: write rows`

            No `/clear` needed: there is room (12 % of the way to the compaction is used).

            Also available:
            - a row: `work on this: a row`

            ---

            nothing in a briefing

            {"variant":"next-plan","done":null,"id":"#2","title":"write rows","why":"the first of 2 open tasks","command":"begin with task #2: write rows","clearFirst":{"advice":"none","why":"there is room (12 % of the way to the compaction is used)"},"after":null,"alternatives":[{"what":"a row","command":"work on this: a row"}]}
        "##]],
    );
}

#[test]
fn the_last_open_task_says_what_comes_after() {
    let tasks = [
        task("1", "parse the header", "completed"),
        task("2", "write rows", "pending"),
        task("3", "x", "deleted"),
    ];
    check(
        &json!({"sd": work()}),
        json!({"tasks": tasks}),
        &expect![[r##"
            ---
            ## Next up

            **#2: write rows** — the last open one of 2 tasks

            `begin with task #2: write rows`

            No `/clear` needed: there is room (12 % of the way to the compaction is used).
            After this: phase-1 is complete, and the next one can be planned.

            ---

            nothing in a briefing

            {"variant":"last-plan","done":null,"id":"#2","title":"write rows","why":"the last open one of 2 tasks","command":"begin with task #2: write rows","clearFirst":{"advice":"none","why":"there is room (12 % of the way to the compaction is used)"},"after":"phase-1 is complete, and the next one can be planned","alternatives":[]}
        "##]],
    );
}

#[test]
fn a_phase_with_all_tasks_done_is_complete() {
    let tasks = [
        task("1", "parse the header", "completed"),
        task("2", "write rows", "completed"),
        task("3", "x", "deleted"),
    ];
    let state = json!({"sd": work(), "summaries": {"pendingActions": ["tell the team"]}});
    check(
        &state,
        json!({"tasks": tasks}),
        &expect![[r#"
            ---
            ## Done: 2 of 2 tasks of phase-1

            ## Next up

            **plan what follows phase-1** — no task is open

            `plan what follows phase-1, task by task`

            No `/clear` needed: there is room (12 % of the way to the compaction is used).

            Also available:
            - P1: tell the team: `work on P1: tell the team`
            - say that the work item is complete: `throughline set work --progress 1`

            ---

            Next up: 2 of 2 tasks of phase-1 are done; ask what follows, or plan it.

            {"variant":"phase-complete","done":"2 of 2 tasks of phase-1","id":null,"title":"plan what follows phase-1","why":"no task is open","command":"plan what follows phase-1, task by task","clearFirst":{"advice":"none","why":"there is room (12 % of the way to the compaction is used)"},"after":null,"alternatives":[{"what":"P1: tell the team","command":"work on P1: tell the team"},{"what":"say that the work item is complete","command":"throughline set work --progress 1"}]}
        "#]],
    );
}

#[test]
fn a_work_item_that_is_done_is_complete() {
    let mut sd = work();
    sd["progress"] = 1.into();
    check(
        &json!({"sd": sd}),
        json!({"tasks": [task("1", "parse the header", "completed")]}),
        &expect![[r#"
            ---
            ## Done: SD-1: Export as CSV

            ## Next up

            **choose what to work on now** — the work item says that it is complete

            `propose what to work on after SD-1: Export as CSV`

            No `/clear` needed: there is room (12 % of the way to the compaction is used).

            Also available:
            - archive everything and start empty: `throughline fresh`

            ---

            Next up: SD-1: Export as CSV is complete; ask what to work on now.

            {"variant":"milestone-complete","done":"SD-1: Export as CSV","id":null,"title":"choose what to work on now","why":"the work item says that it is complete","command":"propose what to work on after SD-1: Export as CSV","clearFirst":{"advice":"none","why":"there is room (12 % of the way to the compaction is used)"},"after":null,"alternatives":[{"what":"archive everything and start empty","command":"throughline fresh"}]}
        "#]],
    );
}

#[test]
fn what_the_work_item_names_is_next() {
    let mut sd = work();
    sd["next"] = "measure a file of 2 GB".into();
    check(
        &json!({"sd": sd, "summaries": {"pendingActions": ["tell the team"]}}),
        json!({}),
        &expect![[r#"
            ---
            ## Next up

            **measure a file of 2 GB** — the work item names it as next

            `go on with: measure a file of 2 GB`

            No `/clear` needed: there is room (12 % of the way to the compaction is used).

            Also available:
            - P1: tell the team: `work on P1: tell the team`

            ---

            nothing in a briefing

            {"variant":"stated-next","done":null,"id":null,"title":"measure a file of 2 GB","why":"the work item names it as next","command":"go on with: measure a file of 2 GB","clearFirst":{"advice":"none","why":"there is room (12 % of the way to the compaction is used)"},"after":null,"alternatives":[{"what":"P1: tell the team","command":"work on P1: tell the team"}]}
        "#]],
    );
}

#[test]
fn several_actions_are_a_choice() {
    let state =
        json!({"sd": work(), "summaries": {"pendingActions": ["tell the team", "write the `footer`"]}});
    check(
        &state,
        json!({}),
        &expect![[r#"
            ---
            ## Next up: several things

            **2 actions are recorded** — none of them is before the others: choose one

            No `/clear` needed: there is room (12 % of the way to the compaction is used).

            Choose one:
            - P1: tell the team: `work on P1: tell the team`
            - P2: write the `footer`: `` work on P2: write the `footer` ``

            ---

            Next up: P1 or P2, in any order.

            {"variant":"options","done":null,"id":null,"title":"2 actions are recorded","why":"none of them is before the others: choose one","command":null,"clearFirst":{"advice":"none","why":"there is room (12 % of the way to the compaction is used)"},"after":null,"alternatives":[{"what":"P1: tell the team","command":"work on P1: tell the team"},{"what":"P2: write the `footer`","command":"work on P2: write the `footer`"}]}
        "#]],
    );
}

#[test]
fn a_plan_that_the_agent_stated_goes_on() {
    let plan = json!({"kind": "plan", "quote": "1. Split the parser.\n2. Test it.", "place": place(9)});
    check(
        &json!({"sd": work()}),
        json!({"findings": [plan]}),
        &expect![[r#"
            ---
            ## Next up

            **1. Split the parser. 2. Test it.** — the agent stated this plan

            `go on with your plan: 1. Split the parser. 2. Test it.`

            No `/clear` needed: there is room (12 % of the way to the compaction is used).

            ---

            nothing in a briefing

            {"variant":"stated-next","done":null,"id":null,"title":"1. Split the parser. 2. Test it.","why":"the agent stated this plan","command":"go on with your plan: 1. Split the parser. 2. Test it.","clearFirst":{"advice":"none","why":"there is room (12 % of the way to the compaction is used)"},"after":null,"alternatives":[]}
        "#]],
    );
}

#[test]
fn a_phase_without_tasks_is_planned() {
    check(
        &json!({"sd": work()}),
        json!({}),
        &expect![[r#"
            ---
            ## Next up

            **plan phase-1** — SD-1: Export as CSV is in it, and it has no tasks

            `plan phase-1, task by task`

            No `/clear` needed: there is room (12 % of the way to the compaction is used).

            Also available:
            - see the phases before it: `throughline work`

            ---

            nothing in a briefing

            {"variant":"plan-phase","done":null,"id":null,"title":"plan phase-1","why":"SD-1: Export as CSV is in it, and it has no tasks","command":"plan phase-1, task by task","clearFirst":{"advice":"none","why":"there is room (12 % of the way to the compaction is used)"},"after":null,"alternatives":[{"what":"see the phases before it","command":"throughline work"}]}
        "#]],
    );
}

#[test]
fn where_nothing_is_known_it_says_so_and_how_to_begin() {
    check(
        &json!({}),
        json!({"stand": {"phase": "told", "told": "All rows are out."}}),
        &expect![[r#"
            ---
            ## Next up: unknown

            **nothing is known to be next** — no task, action or plan is known; the agent last said "All rows are out."

            `throughline set work --title "what you work on" --next "the first step"`

            No `/clear` needed: there is room (12 % of the way to the compaction is used).

            Also available:
            - write down what is to be done: `throughline add action "what is to be done"`
            - see what is remembered: `throughline status`

            ---

            nothing in a briefing

            {"variant":"nothing","done":null,"id":null,"title":"nothing is known to be next","why":"no task, action or plan is known; the agent last said \"All rows are out.\"","command":"throughline set work --title \"what you work on\" --next \"the first step\"","clearFirst":{"advice":"none","why":"there is room (12 % of the way to the compaction is used)"},"after":null,"alternatives":[{"what":"write down what is to be done","command":"throughline add action \"what is to be done\""},{"what":"see what is remembered","command":"throughline status"}]}
        "#]],
    );
}
