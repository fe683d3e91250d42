//! `summaries`: what was kept about finished tasks.

use serde_json::{Value, json};
use throughline_domain::text::one_line;
use throughline_store::task_summaries::{KeptSummary, TaskSummaries};

use super::App;
use crate::failure::Failure;
use crate::output::{self, DIM, HEAD, HINT, styled};

/// Digits of an id that are shown: enough to tell one from the other.
const ID_DIGITS: usize = 12;
/// Fewer digits would name too many.
const ID_DIGITS_MIN: usize = 4;

/// Summaries of finished tasks: list, show, clear
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: SummariesVerb,
}

#[derive(Debug, clap::Subcommand)]
enum SummariesVerb {
    /// List the summaries of all sessions, newest first
    List {
        /// Only those of this session
        #[arg(long, value_name = "SESSION")]
        session: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show one summary
    Show {
        /// Its id, or the beginning of it
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove summaries; what is still cold is summarised again
    Clear {
        /// Only those of this session
        #[arg(long, value_name = "SESSION")]
        session: Option<String>,
    },
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let folder = app.place.claude_folder.as_deref().ok_or_else(|| {
        Failure::new("the client's configuration folder is not known").hint("set HOME or CLAUDE_CONFIG_DIR")
    })?;
    let on_disk = TaskSummaries::of(folder);
    match &args.verb {
        SummariesVerb::List { session, json } => list(&on_disk, session.as_deref(), *json),
        SummariesVerb::Show { id, json } => show(&on_disk, id, *json),
        SummariesVerb::Clear { session } => {
            let count = on_disk.clear(session.as_deref())?;
            output::say(&match count {
                1 => "1 summary removed".to_owned(),
                count => format!("{count} summaries removed"),
            })
        }
    }
}

fn list(on_disk: &TaskSummaries, session: Option<&str>, as_json: bool) -> Result<(), Failure> {
    let mut all = on_disk.all();
    all.retain(|kept| session.is_none_or(|session| kept.summary.session_id == session));
    if as_json {
        return output::say_json(&all.iter().map(to_json).collect());
    }
    for kept in &all {
        let summary = &kept.summary;
        let id = styled(HINT, &kept.id[..kept.id.len().min(ID_DIGITS)]);
        let day: String = summary.compressed_at.chars().take(10).filter(|c| !c.is_control()).collect();
        let files = match summary.files_modified.len() {
            0 => String::new(),
            1 => ", 1 file".to_owned(),
            count => format!(", {count} files"),
        };
        let of = format!("(session {}{files})", one_line(&summary.session_id, 12));
        output::say(&format!("{day} {id} {} {}", one_line(&summary.subject, 200), styled(DIM, &of)))?;
    }
    if all.is_empty() {
        output::remark(
            "no task was summarised yet; it happens 20 turns after its end, as the context fills up",
        );
    }
    Ok(())
}

fn to_json(kept: &KeptSummary) -> Value {
    let mut value = json!({ "id": kept.id });
    if let (Value::Object(value), Ok(Value::Object(summary))) =
        (&mut value, serde_json::to_value(&kept.summary))
    {
        value.extend(summary);
    }
    value
}

fn show(on_disk: &TaskSummaries, id: &str, as_json: bool) -> Result<(), Failure> {
    let wanted = id.to_ascii_lowercase();
    let mut found = on_disk.all();
    found.retain(|kept| wanted.len() >= ID_DIGITS_MIN && kept.id.starts_with(&wanted));
    let kept = match found.as_slice() {
        [kept] => kept,
        [] => {
            return Err(Failure::new(format!("there is no summary `{}`", one_line(id, 60)))
                .hint("`throughline summaries list` shows them; four digits of an id are needed"));
        }
        several => {
            return Err(Failure::new(format!("{} summaries begin with `{wanted}`", several.len()))
                .hint("give more digits"));
        }
    };
    if as_json {
        return output::say_json(&to_json(kept));
    }
    let summary = &kept.summary;
    output::say(&styled(HEAD, &one_line(&summary.subject, 400)))?;
    let (session, task) = (one_line(&summary.session_id, 100), one_line(&summary.task_id, 100));
    let turns = format!("turns {} to {}", summary.start_turn, summary.end_turn);
    output::say(&styled(DIM, &format!("session {session}, task {task}, {turns}")))?;
    let parts = [
        ("Files:", &summary.files_modified),
        ("Commands:", &summary.commands_run),
        ("Outcomes:", &summary.key_outcomes),
        ("Errors resolved:", &summary.errors_resolved),
    ];
    for (heading, lines) in parts.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        output::say(heading)?;
        for line in lines {
            output::say(&format!("  {}", one_line(line, 1_000)))?;
        }
    }
    Ok(())
}
