//! Scope: where is looked: which sessions, and which passages in them.

use crate::passage::{Head, PassageKind};

/// Where is looked.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Only these kinds; empty: all but mere touches of files.
    pub kinds: Vec<PassageKind>,
    /// Only projects at or below these folders; empty: all.
    pub projects: Vec<String>,
    /// Only what came since, in seconds since 1970.
    pub since_s: Option<i64>,
    /// Only the session whose id begins so, in lower case.
    pub session: Option<String>,
}

impl Scope {
    /// Whether anything in a session is looked for. `last_at_s` is when its last passage came.
    #[must_use]
    pub fn has_session(&self, session: &str, project: &str, last_at_s: i64) -> bool {
        self.is_session(session)
            && (self.projects.is_empty() || self.projects.iter().any(|wanted| is_below(project, wanted)))
            && self.is_since(last_at_s)
    }

    /// Whether a passage of a session that is looked at is wanted.
    pub(crate) fn has_passage(&self, head: &Head) -> bool {
        let is_of_kind =
            if self.kinds.is_empty() { !head.kind.is_file_event() } else { self.kinds.contains(&head.kind) };
        is_of_kind && self.is_since(head.at_s)
    }

    pub(crate) fn is_session(&self, session: &str) -> bool {
        self.session.as_deref().is_none_or(|wanted| session.to_lowercase().starts_with(wanted))
    }

    pub(crate) fn is_since(&self, at_s: i64) -> bool {
        self.since_s.is_none_or(|since| at_s >= since)
    }
}

/// Whether a project is a folder or lies below it.
pub(crate) fn is_below(project: &str, folder: &str) -> bool {
    project.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
}

/// Whether a project's folder has this name, or ends with these parts.
#[must_use]
pub fn is_named(project: &str, name: &str) -> bool {
    project == name || project.strip_suffix(name).is_some_and(|rest| rest.ends_with(['/', '\\', '-']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_a_folder_and_what_lies_below_it_not_what_begins_alike() {
        for (project, is_there) in
            [("/w/app", true), ("/w/app/sub", true), ("/w/apple", false), ("/w", false)]
        {
            assert_eq!(is_below(project, "/w/app"), is_there, "{project}");
        }
        for (project, is_so) in [("/w/app", true), ("/w/my-app", true), ("/w/snapp", false), ("app", true)] {
            assert_eq!(is_named(project, "app"), is_so, "{project}");
        }
    }

    #[test]
    fn a_session_is_in_scope_by_its_id_its_project_and_its_last_passage() {
        let scope = Scope {
            projects: vec!["/w/app".to_owned()],
            since_s: Some(100),
            session: Some("ab".to_owned()),
            ..Scope::default()
        };
        assert!(scope.has_session("ABC", "/w/app", 100));
        for (session, project, last_at_s) in
            [("cab", "/w/app", 100), ("abc", "/w", 100), ("abc", "/w/app", 99)]
        {
            assert!(!scope.has_session(session, project, last_at_s), "{session} {project} {last_at_s}");
        }
        assert!(Scope::default().has_session("", "", 0));
    }
}
