//! Where the client keeps sessions: `tmp/<project>/chats/session-*.jsonl` in its folder, the project by a short name of its own.
//!
//! Which name a project has stands in `projects.json` of that folder; a second project of the same name got a number behind it.

use serde_json::Value;

/// The folder of a project's sessions, in the client's own, where nobody took its name before.
///
/// ```
/// use throughline_agents::gemini::transcript_place::folder_name;
/// assert_eq!(folder_name("/home/me/My.App (2)"), "tmp/my-app-2/chats");
/// ```
#[must_use]
pub fn folder_name(project_path: &str) -> String {
    chats_of(&slug(project_path))
}

/// The same by what the client noted in `projects.json`, where it did.
///
/// ```
/// use throughline_agents::gemini::transcript_place::registered_folder;
/// let projects = r#"{"projects": {"/home/me/app": "app-1"}}"#;
/// assert_eq!(registered_folder("/home/me/app", projects).as_deref(), Some("tmp/app-1/chats"));
/// assert_eq!(registered_folder("/home/me/other", projects), None);
/// ```
#[must_use]
pub fn registered_folder(project_path: &str, projects: &str) -> Option<String> {
    let value: Value = serde_json::from_str(projects).ok()?;
    let name = value["projects"].get(project_path)?.as_str()?;
    // A name that leads elsewhere is none of the client's.
    let is_plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_plain.then(|| chats_of(name))
}

fn chats_of(name: &str) -> String {
    format!("tmp/{name}/chats")
}

/// The last part of the path in small letters and digits, a dash for each run of anything else.
fn slug(project_path: &str) -> String {
    let name = project_path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_lowercase();
    let mut slug = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            slug.push(c);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_matches('-');
    if slug.is_empty() { "project".to_owned() } else { slug.to_owned() }
}

/// Whether a file below the client's folder of projects is a session's or a subagent's.
#[must_use]
pub fn is_session(file_name: &str) -> bool {
    file_name.strip_suffix(".jsonl").is_some_and(|stem| !stem.is_empty())
}

/// What a session's file tells of its id: the first eight letters. A subagent's file, in a folder named after the session that began
/// it, is named by the whole of its own.
///
/// ```
/// use throughline_agents::gemini::transcript_place::session_of;
/// assert_eq!(session_of("session-2026-11-18T07-08-e387b15b"), "e387b15b");
/// assert_eq!(session_of("a-subagents-own-id"), "a-subagents-own-id");
/// ```
#[must_use]
pub fn session_of(stem: &str) -> &str {
    stem.strip_prefix("session-").and_then(|rest| rest.rsplit('-').next()).unwrap_or(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_as_the_client_makes_them() {
        for (path, name) in [
            ("/home/me/app", "app"),
            ("/home/me/App_2.0/", "app-2-0"),
            ("/home/me/..weird..", "weird"),
            ("/home/me/日本", "project"),
            ("/", "project"),
            ("", "project"),
        ] {
            assert_eq!(folder_name(path), format!("tmp/{name}/chats"), "{path}");
        }
    }

    #[test]
    fn a_list_of_projects_that_is_broken_or_hostile_names_none() {
        for projects in [
            "",
            "[]",
            "{}",
            r#"{"projects": 1}"#,
            r#"{"projects": {"/p": "../../etc"}}"#,
            r#"{"projects": {"/p": ""}}"#,
        ] {
            assert_eq!(registered_folder("/p", projects), None, "{projects}");
        }
    }
}
