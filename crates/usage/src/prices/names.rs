//! Names: the same model is spelled differently by its maker, by the clouds that serve it and by the client.

/// A model's name without what clouds, regions and the client put around it.
///
/// ```
/// use throughline_usage::prices::plain_name;
/// assert_eq!(plain_name("us.anthropic.claude-sonnet-4-5-20250929-v1:0"), "claude-sonnet-4-5-20250929");
/// assert_eq!(plain_name("claude-opus-4-6[1m]"), "claude-opus-4-6");
/// assert_eq!(plain_name("claude-opus-4-5@20251101"), "claude-opus-4-5-20251101");
/// ```
#[must_use]
pub fn plain_name(model: &str) -> String {
    let lower = model.trim().to_ascii_lowercase();
    let name = lower.split('[').next().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or(name);
    let name = name.split_once("anthropic.").map_or(name, |(_, name)| name);
    let name = name.split(':').next().unwrap_or(name);
    let name = match name.rsplit_once("-v") {
        Some((name, version)) if !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()) => {
            name
        }
        _ => name,
    };
    name.replace('@', "-")
}

/// The name without the date at its end; `None` when it has none.
pub(super) fn without_date(name: &str) -> Option<&str> {
    if let Some(name) = name.strip_suffix("-latest") {
        return Some(name);
    }
    let digits =
        |text: &str, count: usize| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    let (before, last) = name.rsplit_once('-')?;
    if digits(last, 8) {
        return Some(before);
    }
    // 2026-03-05
    let (before, month) = before.rsplit_once('-')?;
    let (before, year) = before.rsplit_once('-')?;
    (digits(last, 2) && digits(month, 2) && digits(year, 4)).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_dropped_and_version_numbers_are_not() {
        assert_eq!(without_date("claude-opus-4-5-20251101"), Some("claude-opus-4-5"));
        assert_eq!(without_date("gpt-5.4-2026-03-05"), Some("gpt-5.4"));
        assert_eq!(without_date("claude-3-5-haiku-latest"), Some("claude-3-5-haiku"));
        assert_eq!(without_date("claude-opus-4-5"), None);
        assert_eq!(without_date("o3"), None);
    }

    #[test]
    fn odd_names_are_no_trouble() {
        for name in ["", "[1m]", "anthropic.", "-v", "claude-v2", "é@"] {
            let _ = plain_name(name);
        }
        assert_eq!(plain_name("anthropic/claude-opus-5"), "claude-opus-5");
        assert_eq!(
            plain_name("global.anthropic.claude-haiku-4-5-20251001-v1:0"),
            "claude-haiku-4-5-20251001"
        );
    }
}
