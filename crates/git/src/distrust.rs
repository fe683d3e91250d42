//! Distrust: which programs a repository's own configuration names. None of them is started by a git of ours.

use std::collections::BTreeSet;
use std::path::Path;

use crate::names::path_text;
use crate::settings::each_setting_in;
use crate::whereabouts::repository_around;

/// Most settings that are told.
const NAMES_MAX: usize = 1_000;

/// See [`crate::named_programs`].
pub(crate) fn named_programs(folder: &Path) -> Vec<String> {
    let Ok(repository) = repository_around(folder) else { return Vec::new() };
    let mut named = BTreeSet::new();
    for config in [repository.common_dir.join("config"), repository.git_dir.join("config.worktree")] {
        // What comes before a fault is told all the same.
        let _ = each_setting_in(&config, |key, _| {
            if named.len() < NAMES_MAX && names_program(key) {
                named.insert(path_text(key));
            }
        });
    }
    named.into_iter().collect()
}

fn names_program(key: &[u8]) -> bool {
    const WHOLE: [&[u8]; 10] = [
        b"core.fsmonitor",
        b"core.hookspath",
        b"core.sshcommand",
        b"core.gitproxy",
        b"core.askpass",
        b"core.pager",
        b"core.editor",
        b"core.worktree",
        b"diff.external",
        b"gpg.program",
    ];
    let part =
        |begin: &[u8], ends: &[&[u8]]| key.starts_with(begin) && ends.iter().any(|end| key.ends_with(end));
    WHOLE.contains(&key)
        || part(b"filter.", &[b".clean", b".smudge", b".process"])
        || part(b"diff.", &[b".command", b".textconv"])
        || part(b"merge.", &[b".driver"])
        || part(b"credential.", &[b"helper"])
        || part(b"gpg.", &[b".program"])
}
