//! Forgetting by origin, for a person: what goes is shown and asked about, and what was found afterwards is told.

use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use throughline_domain::Timestamp;
use throughline_domain::text::one_line;
use throughline_engine::forget::origin::Forgetting;
use throughline_engine::forget::target::{self, TargetError};
use throughline_usage::calendar;

use super::{Args, is_confirmed, report};
use crate::commands::{App, no_home};
use crate::failure::Failure;

pub(super) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let at_hand = app.at_hand();
    let before = args.before.as_deref().map(|text| moment(text, app.now)).transpose()?;
    let scope = target::scope(&at_hand, args.session.as_deref(), before)?;
    let mut work = Forgetting::of(&at_hand, scope);
    let found = work.found()?;
    let transcripts = target::transcripts_of(&at_hand, &work.scope);
    if args.dry_run {
        return report::trial(&work.scope, &found, &transcripts, args.json);
    }
    if !args.json {
        report::plan(&found)?;
    }
    if !found.is_empty() && !args.yes && !is_confirmed(&report::question(&found))? {
        return Err(Failure::new("nothing was forgotten").hint("add --yes to forget without being asked"));
    }
    let proof = work.run()?;
    report::done(&work.scope, &found, &proof, &transcripts, args.json)
}

/// The project that was named; its folder need not be there any more.
pub(super) fn open(folder: Option<&Path>) -> Result<App, Failure> {
    match folder {
        Some(folder) if !folder.is_dir() => App::of_gone(&gone(folder)?),
        folder => App::open(folder),
    }
}

fn gone(named: &Path) -> Result<PathBuf, Failure> {
    let place = crate::surroundings::place().ok_or_else(no_home)?;
    let absolute = std::path::absolute(named).unwrap_or_else(|_| named.to_owned());
    Ok(target::gone(&place, named, absolute)?)
}

/// The start of the day that is meant, in the user's time zone.
fn moment(text: &str, now: Timestamp) -> Result<Timestamp, Failure> {
    let zone = TimeZone::system();
    let date = calendar::parse(text, calendar::date_of(now, &zone)).map_err(|what| {
        Failure::new(what).hint("`--before 30d` means what is older than the last thirty days")
    })?;
    let start = date.to_zoned(zone).map_err(|error| Failure::new(error.to_string()))?.timestamp();
    if start > now {
        return Err(Failure::new(format!("{} lies in the future", one_line(text, 40)))
            .hint("`throughline forget --everything` forgets all of a project"));
    }
    Ok(start)
}

impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Self {
        let message = error.to_string();
        match error {
            TargetError::UnknownProject { known, .. } => Self::new(message)
                .hint(format!("known ones, the last used first: {}", one_line(&known.join(", "), 400))),
            TargetError::UnknownSession { .. } => Self::new(message)
                .hint("`throughline sessions list` shows them; --project names another project"),
            TargetError::SeveralSessions { ids, .. } => {
                Self::new(message).hint(format!("name more of it: {}", one_line(&ids.join(", "), 600)))
            }
            TargetError::Work(error) => error.into(),
        }
    }
}
