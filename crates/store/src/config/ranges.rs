//! Ranges: the numbers of a configuration that make sense; what lies outside is brought in, aloud.

use toml::{Table, Value};

/// Most of everything that is counted.
const COUNT_MAX: i64 = 10_000;
/// Most tokens of a context that anybody has.
const TOKENS_MAX: i64 = 100_000_000;

/// Section, key, least, most. A number that a project asks for must not fill a disk, a context or a day.
const RANGES: &[(&str, &str, i64, i64)] = &[
    ("briefing", "tokens", 0, 20_000),
    ("budget", "target_tokens", 0, TOKENS_MAX),
    ("budget", "max_tokens", 0, TOKENS_MAX),
    ("budget", "file_bytes", 0, 1 << 20),
    ("budget", "evidence_chars", 0, 100_000),
    ("budget", "decisions", 0, COUNT_MAX),
    ("budget", "constraints", 0, COUNT_MAX),
    ("budget", "questions", 0, COUNT_MAX),
    ("budget", "evidence", 0, COUNT_MAX),
    ("budget", "highlights", 0, COUNT_MAX),
    ("budget", "actions", 0, COUNT_MAX),
    ("budget", "directives", 0, COUNT_MAX),
    ("budget", "anchors", 0, COUNT_MAX),
    ("budget", "key_decisions", 0, COUNT_MAX),
    ("thresholds", "warning", 0, 1_000),
    ("thresholds", "critical", 0, 1_000),
    ("thresholds", "emergency", 0, 1_000),
    ("hand_over", "percent", 1, 1_000),
    ("restore", "banner_minutes", 0, 5_256_000),
    ("restore", "briefing_minutes", 0, 5_256_000),
    ("restore", "resume_hours", 0, 87_600),
    ("restore", "idle_minutes", 0, 5_256_000),
    ("governance", "tokens", 0, 5_000),
    ("gate", "turns", 1, 1_000_000),
    ("summaries", "percent", 0, 1_000),
    ("summaries", "cold_turns", 0, 1_000_000),
    ("summaries", "per_session", 0, COUNT_MAX),
    ("checkpoints", "max", 0, 1_000),
    ("checkpoints", "stale_hours", 0, 876_000),
    ("checkpoints", "files", 0, COUNT_MAX),
    ("checkpoints", "file_bytes", 0, 100 << 20),
    ("checkpoints", "total_bytes", 0, 1 << 30),
    ("notes", "page_bytes", 0, 1 << 20),
    ("backup", "from_tokens", 0, TOKENS_MAX),
    ("backup", "every_tokens", 0, TOKENS_MAX),
    ("git", "deadline_ms", 0, 60_000),
    ("git", "session_end_deadline_ms", 0, 60_000),
    ("compaction", "at_tokens", 0, TOKENS_MAX),
    ("statusline", "width", 0, 10_000),
    ("statusline", "bar_cells", 0, 1_000),
    ("usage", "min_interval_s", 0, 31_536_000),
    ("usage", "rotate_bytes", 0, 1 << 30),
];

/// Brings the numbers of a file into their ranges; says which were not.
pub(crate) fn bring_in(table: &mut Table) -> Vec<String> {
    let mut said = Vec::new();
    for (section, key, least, most) in RANGES {
        let Some(Value::Table(section_table)) = table.get_mut(*section) else { continue };
        let Some(Value::Integer(number)) = section_table.get_mut(*key) else { continue };
        let fitting = (*number).clamp(*least, *most);
        if fitting != *number {
            said.push(format!(
                "{section}.{key} is {number}, outside of {least} to {most}; {fitting} is used"
            ));
            *number = fitting;
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_range_is_of_a_key_that_exists_and_holds_its_default() {
        let known = Table::try_from(crate::config::Config::default()).unwrap();
        for (section, key, least, most) in RANGES {
            let default = known[*section][*key].as_integer().unwrap();
            assert!((*least..=*most).contains(&default), "{section}.{key}: {default}");
        }
    }

    #[test]
    fn a_number_outside_is_brought_in_and_said() {
        let mut table: Table =
            "[gate]\nturns = 0\n[notes]\npage_bytes = 999999999999\n[budget]\ndecisions = -3\nanchors = 4"
                .parse()
                .unwrap();
        let said = bring_in(&mut table);
        assert_eq!(said.len(), 3, "{said:?}");
        assert_eq!(said[1], "gate.turns is 0, outside of 1 to 1000000; 1 is used");
        assert_eq!(table["notes"]["page_bytes"].as_integer(), Some(1 << 20));
        assert_eq!(table["budget"]["anchors"].as_integer(), Some(4));
    }
}
