//! Literals: values inside SQL, quoted so that no setting of the server changes what they mean.

use throughline_domain::time::Timestamp;

/// A text constant.
pub(crate) fn text(value: &str) -> String {
    // The server takes no NUL in any text.
    let value = value.replace('\0', "");
    if value.contains('\\') {
        // Without the E, a backslash means one thing or another depending on standard_conforming_strings.
        format!(" E'{}'", value.replace('\\', "\\\\").replace('\'', "''"))
    } else {
        format!("'{}'", value.replace('\'', "''"))
    }
}

/// A text constant, or NULL.
pub(crate) fn text_or_null(value: Option<&str>) -> String {
    value.map_or_else(|| "NULL".to_owned(), text)
}

/// An instant, to the microsecond, whatever zone and date style the server has.
pub(crate) fn instant(at: Timestamp) -> String {
    format!("'{at:.6}'")
}

/// Instants, as an array.
pub(crate) fn instants(all: &[Timestamp]) -> String {
    let all: Vec<String> = all.iter().map(|at| instant(*at)).collect();
    format!("ARRAY[{}]::timestamptz[]", all.join(","))
}

/// A name: of a schema, a table, a column.
pub(crate) fn name(value: &str) -> String {
    format!("\"{}\"", value.replace('\0', "").replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_stay_inside() {
        assert_eq!(text("it's"), "'it''s'");
        assert_eq!(text(r"a\'; DROP"), r" E'a\\''; DROP'");
        assert_eq!(text("a\0b"), "'ab'");
        assert_eq!(text_or_null(None), "NULL");
        assert_eq!(
            instant("2026-11-16T06:30:00.123456789Z".parse().unwrap()),
            "'2026-11-16T06:30:00.123456Z'"
        );
        assert_eq!(name("a\"b"), "\"a\"\"b\"");
    }
}
