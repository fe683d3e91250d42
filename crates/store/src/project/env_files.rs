//! Env files: the settings beside a project's code, whose secrets are known before anybody says them.

use std::ffi::OsStr;
use std::path::Path;

use crate::door::{NodeKind, Spot};
use crate::files;

/// How many entries of a folder are looked at, how many files are read, and how much of each.
const ENTRIES_MAX: usize = 4_096;
const FILES_MAX: usize = 16;
const FILE_BYTES_MAX: u64 = throughline_domain::limits::ENV_FILE_BYTES_MAX;
/// How their names begin.
const PREFIX: &str = ".env";
/// Ends of names of files that show what a setting looks like.
const EXAMPLES: [&str; 5] = ["example", "sample", "template", "dist", "defaults"];

/// Learns the secrets in the files of settings directly in a folder. What cannot be read is passed over: nothing is lost
/// but the knowledge.
pub fn learn_env_files(root: &Path) {
    let root = Spot::root(root);
    let listed = root.list(ENTRIES_MAX).into_iter();
    let env_files = listed.filter(|it| it.kind == NodeKind::File && is_env_file(&it.name));
    for file in env_files.take(FILES_MAX) {
        let Ok(Some(bytes)) = files::read_limited(&root.join(file.name), FILE_BYTES_MAX) else { continue };
        throughline_redact::learn_env(pairs(&String::from_utf8_lossy(&bytes)));
    }
}

fn is_env_file(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    name.starts_with(PREFIX) && !EXAMPLES.iter().any(|end| name.ends_with(end))
}

/// `NAME=value`, `export NAME="value"`.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |line: &str| {
        let line = line.trim();
        let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
        let value = value.trim();
        let quote = value.chars().next().filter(|letter| matches!(letter, '"' | '\''));
        let value = match quote {
            Some(quote) => value[1..].split(quote).next()?,
            None => value.split(" #").next()?.trim_end(),
        };
        Some((name.trim().to_owned(), value.to_owned()))
    };
    text.lines().filter(|line| !line.trim_start().starts_with('#')).filter_map(pair).collect()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files behind the door's back")]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_a_shell_reads_them() {
        let text = "# A=1\nexport A=\"x # y\"\nB = 'z'\nC=plain # why\nnothing\n";
        let found = pairs(text);
        let found: Vec<(&str, &str)> =
            found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, [("A", "x # y"), ("B", "z"), ("C", "plain")]);
    }

    #[test]
    fn examples_are_no_settings() {
        let is = |name: &str| is_env_file(OsStr::new(name));
        assert!(is(".env") && is(".env.production") && is(".envrc"));
        assert!(!is(".env.example") && !is("env") && !is(".environ.sample"));
    }

    #[test]
    fn what_a_file_of_settings_names_is_masked_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let secret = ["kestrel-", "Quarry-Lamp-4471"].concat();
        std::fs::write(
            folder.path().join(".env.local"),
            format!("SMTP_PASSWORD={secret}\nLOG_LEVEL=information-long\n"),
        )
        .unwrap();
        std::fs::write(folder.path().join(".env.example"), "SMTP_PASSWORD=harmless-word-9921x\n").unwrap();
        std::os::unix::fs::symlink("/etc/hostname", folder.path().join(".env.link")).unwrap();
        let said = format!("it printed {secret} and information-long and harmless-word-9921x");
        assert_eq!(throughline_redact::text(&said), said);
        learn_env_files(folder.path());
        let masked = throughline_redact::text(&said).into_owned();
        assert!(!masked.contains("Quarry"), "{masked}");
        assert!(masked.contains("information-long") && masked.contains("harmless-word-9921x"), "{masked}");
        learn_env_files(&folder.path().join("none"));
    }
}
