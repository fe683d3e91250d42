//! `backups`: copies of transcripts; listed, given back, removed.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use throughline_domain::text::{one_line, thousands};
use throughline_engine::place::Place;
use throughline_store::backups::{Backup, BackupError, Backups, RestoreError};
use throughline_store::lock::{LockError, Patience};
use throughline_store::paths::safe_name;

use crate::failure::Failure;
use crate::output::{self, DIM, styled};

const EXAMPLES: &str = "\
Examples:
  throughline backups list
  throughline backups restore 1f2e --to session.jsonl     SESSION is an id or a beginning of it
  throughline backups restore 1f2e --to - | less
  throughline backups rm 1f2e

They are made when [backup] transcripts = true stands in your own throughline.toml: as the context fills up and
before each compaction, each byte once, compressed. Unlike everything else that is kept they are exact copies:
nothing in them is masked. They are files for you alone in the data folder; zcat reads them, too.";

/// Copies of transcripts, unmasked: list, restore, rm
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: BackupsVerb,
}

#[derive(Debug, clap::Subcommand)]
enum BackupsVerb {
    /// List backups, the newest first
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Give a transcript back, every part of it checked; no file is ever overwritten
    Restore {
        /// The session, by its id or a beginning of it
        session: String,
        /// Where to; `-` is standard output. Left out: the session's name in the current folder
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
        /// Which one, where the transcript was rewritten; left out, the newest
        #[arg(long, value_name = "N")]
        generation: Option<u32>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove the backups of a session
    Rm {
        /// The session, by its id or a beginning of it
        session: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(place: &Place, args: &Args) -> Result<(), Failure> {
    let backups = Backups::of(&place.home);
    match &args.verb {
        BackupsVerb::List { json } => list(&backups, *json),
        BackupsVerb::Restore { session, to, generation, json } => {
            restore(&backups, session, to.as_deref(), *generation, *json)
        }
        BackupsVerb::Rm { session, json } => {
            let session = whole_id(&backups.all(), session)?;
            let bytes = backups.remove(&session, Patience::Person)?;
            if *json {
                return output::say_json(&json!({ "session": session, "freedBytes": bytes }));
            }
            output::say(&format!("{} removed: {} bytes are free", shown(&session), thousands(bytes)))
        }
    }
}

fn list(backups: &Backups, as_json: bool) -> Result<(), Failure> {
    let all = backups.all();
    if as_json {
        let list: Vec<Value> = all.iter().map(to_json).collect();
        return output::say_json(&json!({ "backups": list, "bytes": backups.bytes(), "isMasked": false }));
    }
    if all.is_empty() {
        return output::say(
            "no backups; `[backup] transcripts = true` in your throughline.toml switches them on",
        );
    }
    for backup in &all {
        let generation =
            if backup.generation > 1 { format!(" ({})", backup.generation) } else { String::new() };
        let last = backup.members.last();
        let tokens = last.and_then(|last| last.tokens);
        let tokens = tokens.map_or_else(String::new, |tokens| format!(", at {} tokens", thousands(tokens)));
        output::say(&format!(
            "{}{generation}  {}{tokens}, {} bytes in {}, {} part{}",
            shown(&backup.session),
            one_line(&backup.at, 30),
            thousands(backup.bytes()),
            thousands(backup.packed_bytes()),
            backup.members.len(),
            if backup.members.len() == 1 { "" } else { "s" }
        ))?;
        output::say(&styled(DIM, &format!("    {}", one_line(&backup.source, 300))))?;
    }
    output::remark("exact copies: nothing in them is masked");
    Ok(())
}

fn restore(
    backups: &Backups,
    session: &str,
    to: Option<&Path>,
    generation: Option<u32>,
    as_json: bool,
) -> Result<(), Failure> {
    let all = backups.all();
    let session = whole_id(&all, session)?;
    let of_session = all.iter().filter(|it| it.session == session);
    let wanted = of_session.filter(|it| generation.is_none_or(|number| number == it.generation));
    let Some(backup) = wanted.max_by_key(|it| it.generation) else {
        return Err(Failure::new(format!("there is no such generation of session {}", shown(&session)))
            .hint("`throughline backups list` names them"));
    };
    if to == Some(Path::new("-")) {
        let mut stdout = std::io::stdout().lock();
        backups.restore(backup, &mut stdout)?;
        return stdout
            .flush()
            .map_err(|error| Failure::new(format!("could not write to standard output: {error}")));
    }
    let path = to.map_or_else(|| PathBuf::from(format!("{}.jsonl", safe_name(&session))), Path::to_owned);
    let bytes = backups.restore_to(backup, &path)?;
    if as_json {
        return output::say_json(&json!({ "session": session, "path": path, "bytes": bytes }));
    }
    output::say(&format!(
        "{}: {} bytes, as they were on {}; nothing in them is masked",
        path.display(),
        thousands(bytes),
        one_line(&backup.at, 30)
    ))
}

/// The one session whose id begins so.
fn whole_id(all: &[Backup], named: &str) -> Result<String, Failure> {
    let mut ids: Vec<&str> = all.iter().map(|backup| backup.session.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.contains(&named) {
        return Ok(named.to_owned());
    }
    ids.retain(|id| id.starts_with(named) && !named.is_empty());
    match ids.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => Err(Failure::new(format!("there is no backup of a session `{}`", shown(named)))
            .hint("`throughline backups list` names them")),
        several => {
            let listed: Vec<String> = several.iter().map(|id| shown(id)).collect();
            Err(Failure::new(format!("{} sessions begin with `{}`", several.len(), shown(named)))
                .hint(format!("name more of it: {}", listed.join(", "))))
        }
    }
}

fn shown(session: &str) -> String {
    one_line(session, 100)
}

fn to_json(backup: &Backup) -> Value {
    json!({
        "session": backup.session,
        "project": backup.project,
        "generation": backup.generation,
        "source": backup.source,
        "at": backup.at,
        "bytes": backup.bytes(),
        "packedBytes": backup.packed_bytes(),
        "parts": backup.members,
        "path": backup.path.shown(),
    })
}

impl From<BackupError> for Failure {
    fn from(error: BackupError) -> Self {
        let message = error.to_string();
        match error {
            BackupError::File(error) => error.into(),
            BackupError::Lock(LockError::Busy { .. }) => {
                Self::new(message).hint("a hook copies this transcript just now; try again")
            }
            BackupError::Lock(_) => {
                Self::new(message).hint("set THROUGHLINE_HOME to a folder on a local disk")
            }
            BackupError::TooLarge { .. } => {
                Self::new(message).hint("raise backup.max_bytes in your throughline.toml")
            }
        }
    }
}

impl From<RestoreError> for Failure {
    fn from(error: RestoreError) -> Self {
        let message = error.to_string();
        match error {
            RestoreError::File(error) => error.into(),
            RestoreError::Exists { .. } => Self::new(message).hint("nothing was written; name another file with --to"),
            RestoreError::Damaged { .. } => Self::new(message)
                .hint("what comes before that byte is whole: `zcat` reads it; the client may still have the transcript"),
        }
    }
}
