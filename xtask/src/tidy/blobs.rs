//! Blobs: no large file enters the history, from which nothing ever leaves.

use super::Report;
use super::finding::Finding;
use super::tree::Tree;

const BLOB_BYTES_MAX: u64 = 200 << 10;

/// Grows with every dependency and is written by cargo alone; the look-alikes of masking were written by hand, once.
const EXEMPT: &[&str] = &[
    "Cargo.lock",
    "crates/redact/tests/secrets/cases/harmless_tune.jsonl",
    "crates/redact/tests/secrets/cases/harmless_second.jsonl",
    "crates/redact/tests/secrets/cases/harmless_held_back.jsonl",
];

pub(crate) fn check(tree: &Tree, report: &mut Report) {
    let large = tree.files.iter().filter(|(_, file)| file.bytes > BLOB_BYTES_MAX);
    for (path, file) in large.filter(|(path, _)| !EXEMPT.contains(&path.as_str())) {
        let what = format!("{} KB, limit {} KB", file.bytes >> 10, BLOB_BYTES_MAX >> 10);
        report.findings.push(Finding::new(
            path,
            1,
            what,
            "generate it when it is needed, or make it smaller",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, bytes: usize) -> usize {
        let mut report = Report::default();
        check(&Tree::of(&[(path, &"x".repeat(bytes))]), &mut report);
        report.findings.len()
    }

    #[test]
    fn a_file_may_have_200_kb_and_not_a_byte_more() {
        assert_eq!(findings("a.bin", 200 << 10), 0);
        assert_eq!(findings("a.bin", (200 << 10) + 1), 1);
        assert_eq!(findings("fuzz/Cargo.lock", 1 << 20), 1);
        assert_eq!(findings("Cargo.lock", 1 << 20), 0);
    }
}
