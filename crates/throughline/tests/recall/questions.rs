//! Questions whose answers are known: how many are answered among the first five, beside a search by plain words.
//!
//! The method, for this set and for any other:
//! passages are drawn by chance from the sessions, such that tell nothing definite are put back; for each a question is
//! written down, from memory of what it says, before anything is searched. At most two thirds of a question's words
//! (stop words aside, endings cut) may stand in the passage. A result answers when it shows one of the texts that
//! state the fact, in its passage, in the other half of the exchange or near it. The questions are cut into a part to work
//! with and a part that is only counted. Nobody lists every place where a fact is stated: the results of questions that
//! count as missed are judged by two assessors who know neither the search nor each other, among questions that count as
//! answered and such with the results of others; where both say that a result states the fact, its words join the
//! answers. Both counts are published. The baseline is what
//! people do without an index: lines with all words, the most frequent first, or else those with most of them.

use std::collections::BTreeSet;

use crate::scene::Scene;

/// Who said what in which session; `$` is a command with its output behind `=>`.
const SAID: &[(&str, &str, &str)] = &[
    ("q1", "u", "The nightly export takes forty minutes. Find out what it waits for."),
    (
        "q1",
        "a",
        "It spends most of the time in `fetch_invoices`: one request per customer, one after the other.",
    ),
    ("q1", "u", "Batch them, but never more than fifty at once, the billing service falls over otherwise."),
    (
        "q1",
        "a",
        "Done: `fetch_invoices` asks for fifty customers at a time; the export is down to three minutes.",
    ),
    (
        "q1",
        "$",
        "python -m pytest tests/test_export.py => FAILED tests/test_export.py::test_empty_month - KeyError: 'total'",
    ),
    ("q1", "a", "A month without invoices has no `total` key; I use zero there."),
    ("q1", "$", "python -m pytest tests/test_export.py => 14 passed in 0.82s"),
    ("q2", "u", "Our login page logs people out after ten minutes. Can we raise that?"),
    (
        "q2",
        "a",
        "The session cookie has `max_age=600`. I set it to eight hours and refresh it at each request.",
    ),
    ("q2", "u", "No sliding refresh please, security wants a hard limit."),
    ("q2", "a", "Understood: the cookie ends eight hours after signing in, whatever happens in between."),
    (
        "q2",
        "$",
        "npm run build => error TS2345: Argument of type 'string | undefined' is not assignable to parameter of type 'string'.",
    ),
    ("q2", "a", "`process.env.COOKIE_SECRET` may be undefined; the server now refuses to start without it."),
    ("q3", "u", "Which queue should the thumbnail worker use, SQS or the table in Postgres?"),
    (
        "q3",
        "a",
        "I would take the Postgres table with `FOR UPDATE SKIP LOCKED`: a few hundred images an hour, and one system less to run.",
    ),
    ("q3", "u", "Fine, Postgres it is. Revisit when we pass ten thousand an hour."),
    ("q3", "a", "The worker polls every two seconds and sleeps when the table is empty."),
    ("q3", "$", "go test ./worker/... => worker_test.go:88: thumbnail is 0x0, want 200x200"),
    ("q3", "a", "HEIC pictures from phones are not decoded by the standard library; they need libheif."),
    ("q4", "u", "The docs say to install with brew, but the formula is two versions behind."),
    ("q4", "a", "The release job never pushed to the tap: its deploy key had expired in March."),
    ("q4", "u", "Rotate it and add a reminder, I do not want to find out from users again."),
    ("q4", "a", "New key in place, and a scheduled workflow opens an issue thirty days before it ends."),
    (
        "q4",
        "$",
        "gh workflow run release.yml => could not create workflow dispatch event: HTTP 403: Resource not accessible by integration",
    ),
    ("q4", "a", "The token lacked `actions: write`; the workflow's permissions block has it now."),
    ("q5", "u", "Customers in Japan see broken names in the PDF. 日本語の名前が文字化けする。"),
    (
        "q5",
        "a",
        "The PDF embeds Helvetica only. Noto Sans CJK is subset and embedded now; the file grows by 90 kB.",
    ),
    ("q5", "u", "Keep the margins at 18 mm, the printer in Osaka cuts tighter than ours."),
    ("q5", "a", "Margins stay at 18 mm in `invoice.css`."),
    ("q6", "u", "Stop using floats for money, the totals are off by a cent."),
    (
        "q6",
        "a",
        "Amounts are integers in cents everywhere; `formatMoney` is the only place that divides by a hundred.",
    ),
    ("q6", "$", "cargo clippy --all-targets => error: casting `i64` to `f64` causes a loss of precision"),
    (
        "q6",
        "a",
        "I removed the cast: the tax is computed with integers and rounded half up, as the law says.",
    ),
    ("q6", "u", "Deploys only from the release branch, and never on a Friday."),
];

/// A question, and a text that states its answer.
const ASKED: &[(&str, &str)] = &[
    ("why was the export so slow", "one request per customer"),
    ("how many customers may be requested from billing in one batch", "never more than fifty at once"),
    ("which exception did an empty month raise", "KeyError: 'total'"),
    ("how fast is the export now", "down to three minutes"),
    ("what happens with totals if there were no invoices in a month", "I use zero there"),
    ("users were logged out too early, what was the cookie's age", "max_age=600"),
    ("may the login cookie be refreshed on every request", "No sliding refresh"),
    ("when does a signed in person have to sign in again", "eight hours after signing in"),
    ("typescript complained about an undefined string argument", "error TS2345"),
    ("what if somebody forgot to configure the cookie secret", "refuses to start without it"),
    ("why did we prefer the database table over SQS for thumbnails", "one system less to run"),
    ("at which load do we reconsider the postgres queue", "ten thousand an hour"),
    ("how often does the worker look for new images", "polls every two seconds"),
    ("pictures taken with phones give empty thumbnails", "libheif"),
    ("why was the brew formula outdated", "deploy key had expired"),
    ("how are we warned before the tap key expires again", "thirty days before it ends"),
    ("starting the release was forbidden, 403", "Resource not accessible by integration"),
    ("which permission did the token need", "actions: write"),
    ("which font solves the garbled Japanese names", "Noto Sans CJK"),
    ("page margin required by the Osaka print shop", "18 mm"),
    ("文字化け", "日本語の名前"),
    ("how do we represent money amounts", "integers in cents"),
    ("format_money", "divides by a hundred"),
    ("clippy warning about losing precision", "casting `i64` to `f64`"),
    ("which rounding rule applies to taxes", "rounded half up"),
    ("on which weekday are deployments forbidden", "never on a Friday"),
];

const RECALL_MIN: f64 = 0.9;
const FIRST: usize = 5;

fn scene() -> Scene {
    let mut scene = Scene::new();
    for (session, who, text) in SAID {
        match *who {
            "u" => scene.user(session, text),
            "a" => scene.agent(session, text),
            _ => {
                let (command, output) = text.split_once(" => ").unwrap();
                let failed = !output.contains("passed");
                let answer = if failed { format!("Exit code 1\n{output}") } else { output.to_owned() };
                scene.tool(session, "Bash", &serde_json::json!({ "command": command }), &answer, failed);
            }
        }
    }
    scene
}

fn content_words(text: &str) -> BTreeSet<String> {
    const STOP: &[&str] = &[
        "the", "a", "an", "of", "to", "in", "for", "and", "or", "is", "was", "were", "we", "how", "why",
        "which", "what", "when", "do", "did", "does", "from", "on", "with", "so", "it", "as", "at", "be",
        "if", "there", "may", "not",
    ];
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| word.len() > 1 && !STOP.contains(&word.as_str())).collect()
}

/// Whether plain words find it: all of them, else as many as stand in one line, the first five.
fn found_by_words(question: &str, answer: &str) -> bool {
    let words = content_words(question);
    let count = |text: &str| words.iter().filter(|word| text.to_lowercase().contains(word.as_str())).count();
    let mut lines: Vec<&str> = SAID.iter().map(|(_, _, text)| *text).filter(|text| count(text) > 0).collect();
    lines.sort_by_key(|text| std::cmp::Reverse(count(text)));
    lines.iter().take(FIRST).any(|text| text.contains(answer))
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "some questions")]
fn nine_of_ten_questions_are_answered_among_the_first_five() {
    let scene = scene();
    scene.ok(&["backfill"]);
    let (mut ours, mut theirs, mut missed) = (0, 0, Vec::<&str>::new());
    for (question, answer) in ASKED {
        let found = scene.json(&["recall", "--json", "--limit", "5", question]);
        let is_answered = found["results"].as_array().unwrap().iter().any(|it| {
            let other = ["concluded", "asked"].iter().filter_map(|half| it[half]["text"].as_str());
            let also = it["also"].as_array().into_iter().flatten().filter_map(|near| near["text"].as_str());
            it["text"].as_str().into_iter().chain(other).chain(also).any(|text| text.contains(answer))
        });
        ours += usize::from(is_answered);
        theirs += usize::from(found_by_words(question, answer));
        missed.extend((!is_answered).then_some(*question));
    }
    let share = |count: usize| count as f64 / ASKED.len() as f64;
    println!("recall@{FIRST} {:.2}, plain words {:.2}; missed: {missed:?}", share(ours), share(theirs));
    assert!(share(ours) >= RECALL_MIN, "only {:.2}: {missed:?}", share(ours));
    assert!(ours > theirs, "no better than plain words: {ours} and {theirs}");
}

#[test]
fn the_questions_are_worded_differently() {
    let mut alike = Vec::new();
    for (question, answer) in ASKED {
        let (_, _, passage) = SAID.iter().find(|(_, _, text)| text.contains(answer)).unwrap();
        let (asked, said) = (content_words(question), content_words(passage));
        let shared = asked.iter().filter(|word| said.contains(*word)).count();
        alike.extend((shared * 3 > asked.len() * 2 && asked.len() > 1).then_some((
            question,
            shared,
            asked.len(),
        )));
    }
    assert!(alike.is_empty(), "{alike:?}");
}
