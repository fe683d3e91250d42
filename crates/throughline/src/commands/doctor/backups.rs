//! Backups of transcripts: whether they are on, how much they take, and that they are exact copies.

use throughline_domain::text::thousands;
use throughline_store::backups::Backups;

use super::Check;
use super::context::{Context, counted};

const NAME: &str = "backups";

pub(super) fn check(context: &Context) -> Vec<Check> {
    let rules = &context.config.backup;
    let backups = Backups::of(&context.place.home);
    let all = backups.all();
    let sessions = all.iter().map(|it| &it.session).collect::<std::collections::BTreeSet<_>>().len() as u64;
    let bytes = backups.bytes();
    let what = format!(
        "{} of {} bytes at most; exact copies, nothing in them is masked",
        thousands(bytes),
        thousands(rules.max_bytes)
    );
    let of = counted(sessions, "session", "sessions");
    vec![match (rules.transcripts, bytes) {
        (false, 0) => Check::skip(NAME, "transcripts are not copied"),
        (false, _) => {
            Check::ok(NAME, format!("transcripts are not copied any more; of {of} there are {what}"))
        }
        (true, _) => Check::ok(NAME, format!("transcripts are copied; {of}, {what}")),
    }]
}
