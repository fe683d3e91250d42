//! Contents: what an edit puts into a file: functions and types by their signature, headings, keys, limits.

use throughline_domain::text::one_line;

const LINE_UNITS_MAX: usize = 100;
/// A heading of fewer words names a place in a form, nothing in particular.
const HEADING_WORDS_MIN: usize = 3;
/// Of one edit.
const PER_EDIT_MAX: usize = 12;
/// Of one file, the newest.
const PER_FILE_MAX: usize = 10;

/// What `written` defines and `replaced` did not.
pub(crate) fn defined(path: &str, written: &str, replaced: &str) -> Vec<String> {
    let ending = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_page = matches!(ending.as_str(), "md" | "mdx" | "rst");
    let is_code_test = |line: &str| if is_page { is_telling_heading(line) } else { defines(line) };
    let lines = written.lines().map(str::trim).filter(|line| is_code_test(line));
    let new = lines.filter(|line| !replaced.contains(*line)).map(signature).filter(|line| line.len() > 4);
    new.take(PER_EDIT_MAX).collect()
}

/// A heading of a page that says what is below it: "Why" and "5. Wrap-up" stand in every page.
fn is_telling_heading(line: &str) -> bool {
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() >= 3;
    line.starts_with('#') && line.split_whitespace().filter(is_word).count() >= HEADING_WORDS_MIN
}

/// Adds what an edit defined; said again it is newer, not more.
pub(crate) fn add(holds: &mut Vec<String>, new: Vec<String>) {
    for line in new {
        let name = name_of(&line).to_owned();
        holds.retain(|known| name_of(known) != name);
        holds.push(line);
    }
    let over = holds.len().saturating_sub(PER_FILE_MAX);
    holds.drain(..over);
}

/// A definition without its body.
fn signature(line: &str) -> String {
    let end = line.find(" {").or_else(|| line.find("{{")).unwrap_or(line.len());
    let line = line[..end].trim_end_matches(['{', ':', '(', ',', ';', ' ']);
    one_line(line, LINE_UNITS_MAX)
}

/// What a definition is known by: everything before its arguments or its value.
fn name_of(line: &str) -> &str {
    line.split(['(', '=', '<', ':']).next().unwrap_or(line).trim_end()
}

/// Whether a line of code defines something that is called by its name.
fn defines(line: &str) -> bool {
    #[rustfmt::skip]
    const STARTS: &[&str] = &[
        "fn ",
        "func ",
        "def ",
        "class ",
        "struct ",
        "enum ",
        "trait ",
        "interface ",
        "type ",
        "function ",
        "message ",
        "resource ",
        "module ",
        "record ",
        "data ",
        "protocol ",
        "object ",
    ];
    #[rustfmt::skip]
    const BEFORE: &[&str] = &[
        "pub(crate) ",
        "pub(super) ",
        "pub ",
        "export default ",
        "export ",
        "public ",
        "private ",
        "protected ",
        "static ",
        "async ",
        "abstract ",
        "final ",
        "override ",
        "unsafe ",
        "const fn ",
        "suspend ",
        "open ",
        "internal ",
    ];
    let mut rest = line;
    while let Some(behind) = BEFORE.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = behind;
    }
    if STARTS.iter().any(|word| rest.starts_with(word)) {
        return rest
            .split(' ')
            .nth(1)
            .is_some_and(|name| name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '(')));
    }
    is_setting(rest)
        || line
            .split_once("`json:\"")
            .is_some_and(|(_, key)| key.split(['"', ',']).next().is_some_and(|key| key.contains('_')))
}

/// `const MAX = 50`, `maxToScan = 50`, `static LIMIT: usize = 8`: a name that is given a number or a short text.
fn is_setting(line: &str) -> bool {
    let line = ["const ", "let ", "var ", "static ", "val "]
        .iter()
        .find_map(|word| line.strip_prefix(word))
        .unwrap_or(line);
    let Some((name, value)) = line.split_once('=').filter(|(name, _)| !name.ends_with(':')) else {
        return false;
    };
    let name = name.trim();
    let name = name.split_once(':').map_or(name, |(name, _)| name).trim();
    let value = value.trim().trim_end_matches([';', ',']);
    let is_name = name.len() > 3
        && name.split(' ').count() <= 2
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b' '))
        && (name.bytes().any(|byte| byte.is_ascii_uppercase()) || name.contains('_'));
    let is_number = value.starts_with(|c: char| c.is_ascii_digit()) && value.len() <= 24;
    let is_text = value.len() <= 60 && value.starts_with(['"', '\'']) && value.ends_with(['"', '\'']);
    is_name && (is_number || is_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_told_by_their_signature_and_only_new_ones() {
        let old = "fn load(path: &Path) -> State {\n    todo()\n}";
        let new = "pub fn load(path: &Path) -> State {\n    let x = 1;\n}\npub(crate) struct Cursor {\n    at: u64,\n}\n\
                   const MAX_ROWS: usize = 50;\n    if x == 1 {\n    TokenUsage *Usage `json:\"token_usage,omitempty\"`\n";
        assert_eq!(
            defined("src/a.rs", new, old),
            [
                "pub fn load(path: &Path) -> State",
                "pub(crate) struct Cursor",
                "const MAX_ROWS: usize = 50",
                "TokenUsage *Usage `json:\"token_usage,omitempty\"`"
            ]
        );
        let page = "# Why\ntext\n## 5. Wrap-up\n## What the image set carries";
        assert_eq!(defined("a.md", page, ""), ["## What the image set carries"]);
        assert_eq!(
            defined("a.ts", "const x = useState(0);\nreturn class;\ntype = 3", ""),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_definition_that_changes_takes_its_former_place() {
        let mut holds = vec!["fn a(x: u8)".to_owned(), "fn b()".to_owned()];
        add(&mut holds, vec!["fn a(x: u16) -> u8".to_owned()]);
        assert_eq!(holds, ["fn b()", "fn a(x: u16) -> u8"]);
        add(&mut holds, (0..40).map(|at| format!("fn f{at}()")).collect());
        assert_eq!(holds.len(), PER_FILE_MAX);
    }
}
