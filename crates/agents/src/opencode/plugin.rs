//! The plugin: the one file that OpenCode loads, which calls our program and stays out of the way.

/// Where it stands in a project, or below the user's folder of OpenCode's configuration without the first part.
pub const PROJECT_FILE: &str = ".opencode/plugin/throughline.js";
/// The same below the user's folder of OpenCode's configuration.
pub const USER_FILE: &str = "plugin/throughline.js";

const TEXT: &str = include_str!("plugin.js");
/// The place of the program's path, quotes included.
const PROGRAM: &str = "\"@PROGRAM@\"";
/// How the file begins, in every version.
const FIRST_WORDS: &str = "// Throughline for OpenCode";
/// How the line that names the program begins, in every version.
const NAMING: &str = "const PROGRAM = ";

/// The file, calling this program.
///
/// ```
/// use throughline_agents::opencode::plugin;
/// let text = plugin::text("/opt/a \"b\"/throughline");
/// assert!(plugin::is_ours(&text));
/// assert_eq!(plugin::program(&text).as_deref(), Some("/opt/a \"b\"/throughline"));
/// ```
#[must_use]
pub fn text(program: &str) -> String {
    // A string of JSON is one of JavaScript, whatever stands in it.
    TEXT.replacen(PROGRAM, &serde_json::Value::from(program).to_string(), 1)
}

/// Whether a file is one that we wrote, of this version or another.
#[must_use]
pub fn is_ours(text: &str) -> bool {
    text.starts_with(FIRST_WORDS) && program(text).is_some()
}

/// The program that a file of ours calls.
#[must_use]
pub fn program(text: &str) -> Option<String> {
    let named = text.lines().find_map(|line| line.strip_prefix(NAMING))?;
    serde_json::from_str(named.trim_end().trim_end_matches(';')).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the file may grow to: it is read by whoever wonders what stands in their project.
    const LINES_MAX: usize = 80;

    #[test]
    fn the_file_is_short_and_brings_nothing_along() {
        assert!(TEXT.lines().count() <= LINES_MAX, "{}", TEXT.lines().count());
        let imports = TEXT.lines().filter(|line| line.starts_with("import "));
        assert!(imports.clone().all(|line| line.contains("from \"node:")), "{imports:?}");
        // Any export that is no function keeps the client from loading the file.
        assert_eq!(TEXT.matches("export ").count(), 1);
        assert!(
            !TEXT.contains("prompt ="),
            "a prompt of ours would discard the client's own, and every context"
        );
    }

    #[test]
    fn a_programs_path_cannot_end_the_string_that_it_stands_in() {
        for program in
            ["/a/b", "/it's/\"quoted\"", "C:\\tools\\t.exe", "/new\nline`${x}`", "/\u{2028}/@PROGRAM@"]
        {
            let text = text(program);
            assert_eq!(super::program(&text).as_deref(), Some(program));
            assert_eq!(text.lines().count(), TEXT.lines().count(), "{program:?}");
            assert!(is_ours(&text));
        }
    }

    #[test]
    fn a_file_of_somebody_else_is_not_ours() {
        for other in
            ["", "export default async () => ({})", "// Throughline for OpenCode, my own notes on it"]
        {
            assert!(!is_ours(other), "{other}");
        }
        assert!(!is_ours(&format!("// mine now\n{}", text("/a/throughline"))), "somebody took it over");
    }
}
