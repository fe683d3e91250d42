//! Situations: each looks whether it holds and says what is next then; they are asked in this order.

use throughline_domain::ledger::{
    Act, CommandKind, CommandUse, ErrorSeen, FileUse, Finding, FindingKind, Ledger, Phase, Segment, Task,
};
use throughline_domain::{Detail, Entry, Kind, Priority, State, WorkItem, fragment};

use super::commands::{Command, words};
use super::{Advice, Alternative, Clear, Continuation, Variant, WorkStanding};
use crate::session::is_request;

const TITLE_UNITS: usize = 200;
const WHY_UNITS: usize = 240;
const WHAT_UNITS: usize = 80;
const ALTERNATIVES_MAX: usize = 3;
const OPTIONS_MAX: usize = 5;
/// A check that failed so many responses ago and was never run again is no longer what the work stands at.
const FAILED_TURNS_MAX: u64 = 60;
/// Phases that say that the work item is over.
const COMPLETE: [&str; 8] =
    ["complete", "completed", "done", "finished", "closed", "shipped", "released", "merged"];

type Situation = fn(&WorkStanding<'_>) -> Option<Continuation>;

/// The table of `mod.rs`, row by row; where none holds, [`nothing`] does.
pub(super) const ALL: [Situation; 13] = [
    waiting,
    asked,
    urgent,
    failing,
    task_in_hand,
    request_in_hand,
    open_tasks,
    milestone_complete,
    phase_complete,
    named_next,
    actions,
    stated_plan,
    plan_phase,
];

fn found(variant: Variant, title: &str, why: &str, command: Option<Command>) -> Continuation {
    Continuation {
        variant,
        done: None,
        id: None,
        title: words(title, TITLE_UNITS),
        why: words(why, WHY_UNITS),
        command,
        clear: Clear { advice: Advice::None, why: String::new() },
        after: None,
        alternatives: Vec::new(),
        brief: None,
    }
}

fn next_up(words: &str) -> String {
    format!("Next up: {words}")
}

fn also(what: &str, command: Command) -> Alternative {
    Alternative { what: words(what, WHAT_UNITS), command }
}

fn waiting(standing: &WorkStanding<'_>) -> Option<Continuation> {
    let sd = &standing.state.sd;
    let waits_for = sd.blocking.as_deref().filter(|text| !text.trim().is_empty())?;
    let why = format!("it waits for: {waits_for}. Once that is there, say so");
    let said = Command::verb("throughline set work --blocking ''");
    let title = sd.title.as_deref().or(sd.id.as_deref()).unwrap_or("the work item");
    let id = sd.title.as_ref().and(sd.id.as_deref());
    let alternatives = tasks_as_alternatives(open(standing.ledger));
    let name = work_name(sd).unwrap_or_else(|| title.to_owned());
    Some(Continuation {
        id: id.map(|id| words(id, WHAT_UNITS)),
        alternatives,
        brief: Some(next_up(&format!("{name} is blocked by what it waits for."))),
        ..found(Variant::Blocked, title, &why, Some(said))
    })
}

fn asked(standing: &WorkStanding<'_>) -> Option<Continuation> {
    let asked =
        standing.ledger.findings.iter().rfind(|it| it.kind == FindingKind::Question && !it.by_user)?;
    let command = Command::prompt("ask me again, with what you need to know: ", &asked.quote);
    let why = "the agent asked this, and nobody has answered";
    let decide = "decide it yourself, say why, and record it as a decision";
    let alternatives = vec![also("leave it to the agent", Command::Prompt(decide.to_owned()))];
    let brief = Some(next_up("the user's answer to what you asked."));
    Some(Continuation { alternatives, brief, ..found(Variant::Blocked, &asked.quote, why, Some(command)) })
}

fn urgent(standing: &WorkStanding<'_>) -> Option<Continuation> {
    let is_urgent =
        |entry: &&&Entry| matches!(entry.detail, Detail::Question { priority: Priority::High, .. });
    let open = standing.state.open_questions();
    let question = open.iter().find(is_urgent)?;
    let why = match question.reason().trim() {
        "" => "this urgent question is open".to_owned(),
        context => format!("this urgent question is open ({context})"),
    };
    let command = Command::prompt(&format!("let us settle {}: ", question.id), &question.text);
    let answer = Command::verb(&format!("throughline resolve {} \"your answer\"", question.id));
    // A briefing has no line for it: the question stands there as urgent, and an agent in mid-work need not drop that.
    Some(Continuation {
        id: Some(question.id.to_string()),
        alternatives: vec![also("record the answer", answer)],
        ..found(Variant::Blocked, &question.text, &why, Some(command))
    })
}

fn failing(standing: &WorkStanding<'_>) -> Option<Continuation> {
    let (error, command) = failed_check(standing.ledger)?;
    let title = format!("{} fails", command.normal);
    let line = error.lines.first().map_or("", String::as_str);
    let edited = |file: &FileUse| file.edited_turn > Some(error.place.turn);
    let since =
        if standing.ledger.files.iter().any(edited) { "not run since the last edit" } else { "unresolved" };
    let why = format!("{since}: \"{}\"", words(line, 160));
    let fix = Command::prompt("find out why this fails, and mend it: ", &command.normal);
    let again = Command::as_run(command);
    let mut alternatives = Vec::new();
    if again.is_some() {
        alternatives.push(also("have it mended", fix.clone()));
    }
    alternatives.extend(tasks_as_alternatives(open(standing.ledger)));
    alternatives.truncate(ALTERNATIVES_MAX);
    Some(Continuation {
        alternatives,
        brief: Some(next_up("what fails, before anything else.")),
        ..found(Variant::FailingTests, &title, &why, Some(again.unwrap_or(fix)))
    })
}

/// The newest failure of a check that has not passed since, by itself or in a wider run.
fn failed_check(ledger: &Ledger) -> Option<(&ErrorSeen, &CommandUse)> {
    let is_check =
        |it: &&CommandUse| matches!(it.kind, CommandKind::Test | CommandKind::Build | CommandKind::Lint);
    let unresolved =
        ledger.errors.iter().rev().filter(|error| {
            error.resolved_turn.is_none() && error.place.turn + FAILED_TURNS_MAX >= ledger.turn
        });
    unresolved
        .filter_map(|error| {
            let command = ledger.commands.iter().filter(is_check).find(|it| it.normal == error.from)?;
            Some((error, command))
        })
        // What only looks like a failure is told where the client says that it was one.
        .find(|(error, command)| {
            command.succeeded != Some(true) && (error.is_certain || command.succeeded == Some(false))
        })
}

fn task_in_hand(standing: &WorkStanding<'_>) -> Option<Continuation> {
    let open = open(standing.ledger);
    let is_in_hand = |task: &&&Task| task.status == "in_progress";
    let task = *open.iter().filter(is_in_hand).max_by_key(|task| task.changed)?;
    let rest: Vec<&Task> = open.iter().copied().filter(|it| !std::ptr::eq(*it, task)).collect();
    let why = match rest.len() {
        0 => "in progress, and the last that is open".to_owned(),
        1 => "in progress; one more is open".to_owned(),
        more => format!("in progress; {more} more are open"),
    };
    let after = rest.is_empty().then(|| what_follows(standing));
    let command = task_command("continue with ", task);
    let alternatives = tasks_as_alternatives(rest);
    Some(Continuation {
        id: task_id(task),
        after,
        alternatives,
        ..found(Variant::InProgress, &task.subject, &why, Some(command))
    })
}

/// Where there are no tasks, or none of them is open, the user's last request takes their place.
fn request_in_hand(standing: &WorkStanding<'_>) -> Option<Continuation> {
    let ledger = standing.ledger;
    let stand = &ledger.stand;
    // Whoever asks us through the agent has it run us: that is no work.
    let only_asks_us = stand.act == Act::Ran && fragment::runs_us(&stand.what);
    if !open(ledger).is_empty() || only_asks_us {
        return None;
    }
    let why = match stand.phase {
        Phase::Asked => "asked, and nothing was done yet".to_owned(),
        Phase::Working if !stand.said.is_empty() => format!("in progress; the agent said \"{}\"", stand.said),
        Phase::Working => "in progress".to_owned(),
        Phase::Stopped => "the user stopped the agent at it".to_owned(),
        Phase::New | Phase::Told => return None,
    };
    let request = request(ledger)?;
    let command = Command::prompt("go on with this: ", request);
    Some(found(Variant::InProgress, request, &why, Some(command)))
}

fn request(ledger: &Ledger) -> Option<&str> {
    if ledger.tasks.is_empty() {
        let is_open = |it: &&Segment| it.is_request() && it.end.is_none();
        return ledger.segments.iter().rfind(is_open).map(|segment| segment.subject.as_str());
    }
    let settled = ledger.tasks.iter().map(|task| task.changed).max()?;
    let newest = ledger.said.iter().rfind(|word| is_request(word))?;
    (newest.place > settled).then_some(newest.text.as_str())
}

fn open_tasks(standing: &WorkStanding<'_>) -> Option<Continuation> {
    let open = open(standing.ledger);
    let (task, rest) = open.split_first()?;
    let all = counted(standing.ledger).len();
    let (variant, why, after) = if rest.is_empty() {
        let why =
            if all > 1 { format!("the last open one of {all} tasks") } else { "the only task".to_owned() };
        (Variant::LastPlan, why, Some(what_follows(standing)))
    } else {
        (Variant::NextPlan, format!("the first of {} open tasks", open.len()), None)
    };
    Some(Continuation {
        id: task_id(task),
        after,
        alternatives: tasks_as_alternatives(rest.to_vec()),
        ..found(variant, &task.subject, &why, Some(task_command("begin with ", task)))
    })
}

fn milestone_complete(standing: &WorkStanding<'_>) -> Option<Continuation> {
    let sd = &standing.state.sd;
    if !is_complete(sd) {
        return None;
    }
    let name = work_name(sd).unwrap_or_else(|| "the work item".to_owned());
    let follows =
        if next_step(sd).is_some() { "go on with what it names as next" } else { "ask what to work on now" };
    let mut alternatives = actions_as_alternatives(standing.state, ALTERNATIVES_MAX - 1);
    alternatives.push(also("archive everything and start empty", Command::verb("throughline fresh")));
    let next = match next_step(sd) {
        Some(next) => named(next),
        None => found(
            Variant::MilestoneComplete,
            "choose what to work on now",
            "the work item says that it is complete",
            Some(Command::prompt("propose what to work on after ", &name)),
        ),
    };
    let brief = Some(next_up(&format!("{name} is complete; {follows}.")));
    let done = Some(name);
    Some(Continuation { variant: Variant::MilestoneComplete, done, alternatives, brief, ..next })
}

fn phase_complete(standing: &WorkStanding<'_>) -> Option<Continuation> {
    let all = counted(standing.ledger);
    if all.is_empty() || !open(standing.ledger).is_empty() {
        return None;
    }
    let sd = &standing.state.sd;
    let count = all.iter().filter(|task| task.status == "completed").count();
    let tasks = if all.len() == 1 { "task" } else { "tasks" };
    let phase = phase_of(standing.state);
    let whose = phase.map_or_else(String::new, |phase| format!(" of {}", phase_name(phase)));
    let done = format!("{count} of {} {tasks}{whose}", all.len());
    let next = match (next_step(sd), phase) {
        (Some(next), _) => named(next),
        (None, Some(phase)) => {
            let command = Command::prompt_around("plan what follows ", &phase_name(phase), ", task by task");
            let title = format!("plan what follows {}", phase_name(phase));
            found(Variant::PhaseComplete, &title, "no task is open", Some(command))
        }
        (None, None) => {
            let command = Command::Prompt("plan what comes next, task by task".to_owned());
            found(Variant::PhaseComplete, "plan what comes next", "no task is open", Some(command))
        }
    };
    let mut alternatives = actions_as_alternatives(standing.state, ALTERNATIVES_MAX - 1);
    if !sd.is_empty() {
        let command = Command::verb("throughline set work --progress 1");
        alternatives.push(also("say that the work item is complete", command));
    }
    let brief = Some(next_up(&format!("{done} are done; ask what follows, or plan it.")));
    Some(Continuation { variant: Variant::PhaseComplete, done: Some(done), alternatives, brief, ..next })
}

fn named_next(standing: &WorkStanding<'_>) -> Option<Continuation> {
    let next = named(next_step(&standing.state.sd)?);
    let alternatives = actions_as_alternatives(standing.state, ALTERNATIVES_MAX);
    Some(Continuation { alternatives, ..next })
}

fn named(next: &str) -> Continuation {
    let command = Command::prompt("go on with: ", next);
    found(Variant::StatedNext, next, "the work item names it as next", Some(command))
}

fn actions(standing: &WorkStanding<'_>) -> Option<Continuation> {
    let recorded = standing.state.entries(Kind::Action);
    match recorded {
        [] => None,
        [only] => Some(Continuation {
            id: Some(only.id.to_string()),
            alternatives: vec![also("it is done", Command::verb(&format!("throughline done {}", only.id)))],
            ..found(Variant::StatedNext, &only.text, "the only action recorded", Some(action_command(only)))
        }),
        several => {
            let title = format!("{} actions are recorded", several.len());
            let why = "none of them is before the others: choose one";
            let alternatives = actions_as_alternatives(standing.state, OPTIONS_MAX);
            let ids: Vec<String> = several.iter().take(OPTIONS_MAX).map(|it| it.id.to_string()).collect();
            let brief = Some(next_up(&format!("{}, in any order.", ids.join(" or "))));
            Some(Continuation { alternatives, brief, ..found(Variant::Options, &title, why, None) })
        }
    }
}

/// A plan from before the last request is done or dropped.
fn stated_plan(standing: &WorkStanding<'_>) -> Option<Continuation> {
    let ledger = standing.ledger;
    let asked = ledger.said.iter().rfind(|word| is_request(word));
    let asked = asked.map(|word| word.place.offset).unwrap_or_default();
    let is_plan = |it: &&Finding| it.kind == FindingKind::Plan && it.place.offset >= asked;
    let plan = ledger.findings.iter().rfind(is_plan)?;
    let command = Command::prompt("go on with your plan: ", &plan.quote);
    Some(found(Variant::StatedNext, &plan.quote, "the agent stated this plan", Some(command)))
}

fn plan_phase(standing: &WorkStanding<'_>) -> Option<Continuation> {
    let phase = phase_of(standing.state)?;
    let title = format!("plan {}", phase_name(phase));
    let command = Command::prompt_around("plan ", &phase_name(phase), ", task by task");
    let name = work_name(&standing.state.sd);
    let why = name
        .map_or_else(|| "it has no tasks".to_owned(), |name| format!("{name} is in it, and it has no tasks"));
    let alternatives = vec![also("see the phases before it", Command::verb("throughline work"))];
    Some(Continuation { alternatives, ..found(Variant::PlanPhase, &title, &why, Some(command)) })
}

/// Nothing is known: what was said last, and how to begin.
pub(super) fn nothing(standing: &WorkStanding<'_>) -> Continuation {
    let told = standing.ledger.stand.told.as_str();
    let why = if told.is_empty() {
        "no task, action or plan is known".to_owned()
    } else {
        format!("no task, action or plan is known; the agent last said \"{}\"", words(told, 160))
    };
    let command =
        Command::verb("throughline set work --title \"what you work on\" --next \"the first step\"");
    let alternatives = vec![
        also("write down what is to be done", Command::verb("throughline add action \"what is to be done\"")),
        also("see what is remembered", Command::verb("throughline status")),
    ];
    Continuation {
        alternatives,
        ..found(Variant::Nothing, "nothing is known to be next", &why, Some(command))
    }
}

/// Tasks that were not deleted.
fn counted(ledger: &Ledger) -> Vec<&Task> {
    ledger.tasks.iter().filter(|task| task.status != "deleted").collect()
}

/// Open tasks, those in progress first, then in the order of their creation.
fn open(ledger: &Ledger) -> Vec<&Task> {
    let mut open: Vec<&Task> = ledger.tasks.iter().filter(|task| task.is_open()).collect();
    open.sort_by_key(|task| task.status != "in_progress");
    open
}

fn task_id(task: &Task) -> Option<String> {
    (!task.id.is_empty()).then(|| format!("#{}", words(&task.id, 20)))
}

fn task_command(ours: &str, task: &Task) -> Command {
    let which = task_id(task).map_or_else(|| "this: ".to_owned(), |id| format!("task {id}: "));
    Command::prompt(&format!("{ours}{which}"), &task.subject)
}

fn tasks_as_alternatives(tasks: Vec<&Task>) -> Vec<Alternative> {
    let named = |task: &Task| match task_id(task) {
        Some(id) => format!("{id}: {}", task.subject),
        None => task.subject.clone(),
    };
    let tasks = tasks.into_iter().take(ALTERNATIVES_MAX);
    tasks.map(|task| also(&named(task), task_command("work on ", task))).collect()
}

fn action_command(action: &Entry) -> Command {
    Command::prompt(&format!("work on {}: ", action.id), &action.text)
}

fn actions_as_alternatives(state: &State, count_max: usize) -> Vec<Alternative> {
    let actions = state.entries(Kind::Action).iter().take(count_max);
    actions.map(|it| also(&format!("{}: {}", it.id, it.text), action_command(it))).collect()
}

/// What comes after the last open task.
fn what_follows(standing: &WorkStanding<'_>) -> String {
    let phase = phase_of(standing.state).map(phase_name);
    match (next_step(&standing.state.sd), phase) {
        (Some(next), _) => words(next, TITLE_UNITS),
        (None, Some(phase)) => format!("{phase} is complete, and the next one can be planned"),
        (None, None) => "no task is open, and the next ones can be planned".to_owned(),
    }
}

fn next_step(sd: &WorkItem) -> Option<&str> {
    sd.next.as_deref().filter(|next| !next.trim().is_empty())
}

fn phase_of(state: &State) -> Option<&str> {
    let phase = state.sd.phase.as_deref().or(state.workflow.current_phase.as_deref());
    phase.filter(|phase| !phase.trim().is_empty())
}

/// `phase EXEC`; one that is called `phase-1` says so itself.
fn phase_name(phase: &str) -> String {
    let name = words(phase, WHAT_UNITS);
    if name.to_lowercase().starts_with("phase") { name } else { format!("phase {name}") }
}

fn work_name(sd: &WorkItem) -> Option<String> {
    let parts: Vec<String> =
        [&sd.id, &sd.title].into_iter().flatten().map(|part| words(part, WHAT_UNITS)).collect();
    (!parts.is_empty()).then(|| parts.join(": "))
}

fn is_complete(sd: &WorkItem) -> bool {
    let says_so = |phase: &String| {
        let word = phase.trim_matches(|c: char| !c.is_alphanumeric());
        COMPLETE.iter().any(|it| word.eq_ignore_ascii_case(it))
    };
    // Up to 1 it is a share, above it a percentage.
    let is_whole = |progress: f64| progress >= 100.0 || (1.0 - progress).abs() < 1e-9;
    sd.progress.is_some_and(is_whole) || sd.phase.as_ref().is_some_and(says_so)
}
