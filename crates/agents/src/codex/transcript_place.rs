//! Where the client keeps its rollouts: `sessions/<year>/<month>/<day>`, a file a thread, named after moment and thread.

/// The folder of all rollouts, below the client's own.
pub const FOLDER: &str = "sessions";

/// How a rollout's name begins.
const BEGINS: &str = "rollout-";
const ENDS: &str = ".jsonl";
/// `2026-11-18T07-05-14-`
const MOMENT_BYTES: usize = 20;
/// `01a1ed79-569b-7ac2-9d1f-fbbc038581f2`
const ID_BYTES: usize = 36;

/// The thread of a rollout, by its path or name; `None` where that is no rollout's.
///
/// ```
/// use throughline_agents::codex::transcript_place::thread_of;
/// let path = "/home/me/.codex/sessions/2026/11/18/rollout-2026-11-18T07-05-14-01a1ed79-569b-7ac2-9d1f-fbbc038581f2.jsonl";
/// assert_eq!(thread_of(path), Some("01a1ed79-569b-7ac2-9d1f-fbbc038581f2"));
/// assert_eq!(thread_of("/home/me/.codex/history.jsonl"), None);
/// ```
#[must_use]
pub fn thread_of(path: &str) -> Option<&str> {
    thread_in(path.rsplit(['/', '\\']).next()?.strip_suffix(ENDS)?)
}

/// Whether a file of this name is a rollout.
#[must_use]
pub fn is_rollout(name: &str) -> bool {
    thread_of(name).is_some()
}

/// The thread of a rollout, by its name without the ending; all of the name where that is no rollout's.
#[must_use]
pub fn session_of(stem: &str) -> &str {
    thread_in(stem).unwrap_or(stem)
}

fn thread_in(stem: &str) -> Option<&str> {
    let id = stem.strip_prefix(BEGINS)?.get(MOMENT_BYTES..)?;
    let is_id = id.len() == ID_BYTES && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    is_id.then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_rollouts_name_tells_its_thread() {
        let odd = [
            "",
            "rollout-.jsonl",
            "rollout-2026-11-18T07-05-14-short.jsonl",
            "rollout-2026-11-18T07-05-14-01a1ed79-569b-7ac2-9d1f-fbbc038581f2.jsonl.bak",
            "rollout-éééééééééé01a1ed79-569b-7ac2-9d1f-fbbc038581f2.jsonl.jsonl",
        ];
        for name in odd {
            assert_eq!(thread_of(name), None, "{name}");
        }
    }
}
