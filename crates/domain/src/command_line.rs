//! Command lines: what of one tells what is done.

/// A line without the changes of folder before it: they say nothing about the way, and take the room of what does.
///
/// ```
/// use throughline_domain::command_line::behind_cd;
/// assert_eq!(behind_cd("cd x && cd \"a & b\"; make all"), "make all");
/// assert_eq!(behind_cd("cd 'a; b"), "cd 'a; b");
/// assert_eq!(behind_cd("cd x"), "cd x");
/// ```
#[must_use]
pub fn behind_cd(line: &str) -> &str {
    let mut rest = line.trim_start();
    while let Some(behind) = rest.strip_prefix("cd ") {
        let mut quote = None;
        let ends = |c: char| match quote {
            Some(open) => {
                if c == open {
                    quote = None;
                }
                false
            }
            None if matches!(c, '"' | '\'') => {
                quote = Some(c);
                false
            }
            None => matches!(c, '\n' | ';' | '&'),
        };
        let Some(at) = behind.find(ends) else { return line };
        rest = behind[at..].trim_start_matches(['\n', ';', '&', ' ', '\t']);
    }
    if rest.is_empty() { line } else { rest }
}
