//! Shell: a command line taken apart into its commands, as a shell would, without running anything.

/// A longer line is a script; what stands behind this is not looked at.
const LINE_BYTES_MAX: usize = 8_000;
const COMMANDS_MAX: usize = 24;

/// One command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Simple {
    /// Its words, as written (quotes and all), without redirections of its output.
    pub words: Vec<String>,
    /// The folder a `cd` before it in the line went to.
    pub folder: Option<String>,
    /// Whether its output went through another program, which hides how it ended.
    pub is_piped: bool,
    /// Whether it can be run again as it stands: no text that only this line held, no variable of a loop.
    pub is_repeatable: bool,
}

impl Simple {
    /// The words in one line.
    pub(crate) fn normal(&self) -> String {
        self.words.join(" ")
    }
}

/// The commands of a line: split at `&&`, `||`, `;`, `&` and line ends, each without its pipes and redirections.
pub(crate) fn commands(line: &str) -> Vec<Simple> {
    let line = crate::head(line, LINE_BYTES_MAX);
    let mut folder: Option<String> = None;
    let mut loops = false;
    let mut found = Vec::new();
    for pipeline in pipelines(line) {
        let mut stages = pipeline.stages.iter().map(|stage| words_of(stage));
        let Some(mut words) = stages.next() else { continue };
        let others: Vec<Vec<String>> = stages.filter(|words| !words.is_empty()).collect();
        loops |= strip_keywords(&mut words);
        match words.first().map(String::as_str) {
            None => continue,
            Some("cd" | "pushd" | "Set-Location") => {
                folder = words.get(1).map(|word| unquoted(word).to_owned());
                continue;
            }
            Some(_) => {}
        }
        // What is fed into a program belongs to the call: `echo x | ./tool`.
        let is_fed = matches!(words[0].as_str(), "echo" | "printf" | "cat" | "yes");
        let fed = others.first().filter(|stage| is_fed && !is_filter(&stage[0]));
        let is_piped = others.len() > usize::from(fed.is_some());
        if let Some(program) = fed {
            words.push("|".to_owned());
            words.extend(program.iter().cloned());
        }
        let needs_loop = loops && words.iter().any(|word| word.contains('$'));
        let is_repeatable = !pipeline.has_heredoc && !needs_loop;
        found.push(Simple { words, folder: folder.clone(), is_piped, is_repeatable });
        if found.len() >= COMMANDS_MAX {
            break;
        }
    }
    found
}

/// A word without the quotes around it.
pub(crate) fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '\''])
}

fn is_filter(program: &str) -> bool {
    #[rustfmt::skip]
    const FILTERS: &[&str] = &[
        "head", "tail", "grep", "egrep", "rg", "sed", "awk", "sort", "uniq", "wc", "cut", "tr", "tee",
        "less", "more", "cat", "jq", "column", "xargs", "fold", "nl", "rev", "strings", "Select-Object",
        "Select-String", "Out-String", "Out-Null", "findstr",
    ];
    FILTERS.contains(&program)
}

/// Takes away what a shell's grammar puts before a command; says whether a loop or a condition begins.
fn strip_keywords(words: &mut Vec<String>) -> bool {
    let mut loops = false;
    while let Some(first) = words.first() {
        match first.as_str() {
            "do" | "then" | "else" | "!" | "{" | "}" | "time" | "(" | ")" | "&" => {
                words.remove(0);
            }
            "for" | "while" | "until" | "if" | "elif" | "case" | "select" | "function" | "foreach" => {
                loops = true;
                words.clear();
            }
            "done" | "fi" | "esac" | "[" | "[[" | "test" | "in" | "#" => words.clear(),
            _ => break,
        }
    }
    loops
}

struct Pipeline<'a> {
    stages: Vec<&'a str>,
    has_heredoc: bool,
}

/// Where the scan stands: inside which quotes, how deep in `$( )`.
#[derive(Default)]
struct Nesting {
    quote: Option<u8>,
    depth: u32,
}

impl Nesting {
    fn is_open(&self) -> bool {
        self.quote.is_some() || self.depth > 0
    }

    /// Takes one byte into account.
    fn pass(&mut self, byte: u8, next: Option<u8>) {
        match (self.quote, byte) {
            (Some(b'\''), b'\'') | (Some(b'"'), b'"') | (Some(b'`'), b'`') => self.quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"' | b'`') => self.quote = Some(byte),
            (None, b'$') if next == Some(b'(') => {}
            (None, b'(') => self.depth += 1,
            (None, b')') => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

fn pipelines(line: &str) -> Vec<Pipeline<'_>> {
    let bytes = line.as_bytes();
    let mut nesting = Nesting::default();
    let mut done = Vec::new();
    let mut current = Pipeline { stages: Vec::new(), has_heredoc: false };
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        let (byte, next) = (bytes[at], bytes.get(at + 1).copied());
        if byte == b'\\' && nesting.quote != Some(b'\'') {
            at += 2;
            continue;
        }
        if byte == b'<'
            && next == Some(b'<')
            && nesting.quote != Some(b'\'')
            && let Some(end) = heredoc_end(line, at)
        {
            current.has_heredoc = true;
            current.stages.push(&line[from..at]);
            // Its text may hold any quote. What was open around it, `"$(cat <<EOF`, is closed behind it.
            let closing = |byte: &u8| matches!(byte, b')' | b'"' | b'\'' | b'`' | b'\n' | b' ');
            let rest = end
                + if nesting.is_open() {
                    bytes[end..].iter().take_while(|byte| closing(byte)).count()
                } else {
                    0
                };
            nesting = Nesting::default();
            (from, at) = (rest, rest);
            continue;
        }
        let is_grouping =
            nesting.quote.is_none() && nesting.depth == 0 && byte == b'(' && line[from..at].trim().is_empty();
        if nesting.is_open() || !matches!(byte, b'&' | b'|' | b';' | b'\n' | b'#') {
            if is_grouping {
                from = at + 1;
            } else {
                nesting.pass(byte, next);
            }
            at += 1;
            continue;
        }
        let length = separator(bytes, at);
        if length == 0 {
            at += 1;
            continue;
        }
        if let Some(stage) = line.get(from..at) {
            current.stages.push(stage);
        }
        let is_pipe = byte == b'|' && (length == 1 || next == Some(b'&'));
        if byte == b'#' {
            at += bytes[at..].iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len() - at);
        } else {
            at += length;
        }
        from = at;
        if !is_pipe {
            done.push(std::mem::replace(&mut current, Pipeline { stages: Vec::new(), has_heredoc: false }));
        }
    }
    if let Some(stage) = line.get(from..) {
        current.stages.push(stage);
    }
    done.push(current);
    done
}

/// How many bytes the separator at `at` has; none where the byte means something else there.
fn separator(bytes: &[u8], at: usize) -> usize {
    let before = at.checked_sub(1).map(|at| bytes[at]);
    match (bytes[at], bytes.get(at + 1)) {
        (b'&', Some(b'&')) | (b'|', Some(b'|' | b'&')) => 2,
        // `2>&1` and `&>log` are redirections.
        (b'&', Some(b'>')) => 0,
        (b'&', _) if before == Some(b'>') => 0,
        // `#` begins a comment only where a word could begin.
        (b'#', _) => usize::from(before.is_none_or(|byte| byte.is_ascii_whitespace() || byte == b';')),
        (b'|', _) if before == Some(b'>') => 0,
        _ => 1,
    }
}

/// Behind the text that `<<WORD` at `at` begins, if it is one.
fn heredoc_end(line: &str, at: usize) -> Option<usize> {
    let rest = line[at + 2..].trim_start_matches(['-', ' ', '~']);
    let word = rest.trim_start_matches(['\'', '"', '\\']);
    let length =
        word.bytes().position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_')).unwrap_or(word.len());
    let word = word.get(..length).filter(|word| !word.is_empty())?;
    let body = at + line[at..].find('\n')?;
    let mut end = body + 1;
    for text in line[end..].split_inclusive('\n') {
        end += text.len();
        if text.trim() == word {
            return Some(end - usize::from(text.ends_with('\n')));
        }
    }
    Some(line.len())
}

/// The words of one command, without redirections of its output.
fn words_of(stage: &str) -> Vec<String> {
    if !stage.bytes().any(|byte| matches!(byte, b'\\' | b'\'' | b'"' | b'`' | b'(' | b')')) {
        return without_redirections(stage.split_whitespace().map(str::to_owned).collect());
    }
    let bytes = stage.as_bytes();
    let mut words = Vec::new();
    let mut nesting = Nesting::default();
    let mut word = String::new();
    // What stands between `from` and `at` belongs to the word.
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == b'\\' && nesting.quote != Some(b'\'') {
            let length = stage[at + 1..].chars().next().map_or(0, char::len_utf8);
            // A line that goes on.
            if let Some(b'\n' | b'\r') = bytes.get(at + 1) {
                word.push_str(&stage[from..at]);
                finish(&mut word, &mut words);
                from = at + 1 + length;
            }
            at += 1 + length;
            continue;
        }
        let blank = if nesting.is_open() { 0 } else { blank_bytes(stage, at) };
        // The `)` of a group that was opened before this command.
        let is_closing = byte == b')' && !nesting.is_open();
        if blank > 0 || is_closing {
            word.push_str(&stage[from..at]);
            if blank > 0 {
                finish(&mut word, &mut words);
            }
            at += blank.max(1);
            from = at;
            continue;
        }
        nesting.pass(byte, bytes.get(at + 1).copied());
        at += 1;
    }
    word.push_str(&stage[from..]);
    finish(&mut word, &mut words);
    without_redirections(words)
}

/// The length of the blank that stands at a place; 0 where there is none.
fn blank_bytes(text: &str, at: usize) -> usize {
    match text.as_bytes()[at] {
        b' ' | b'\t'..=b'\r' => 1,
        0xc2..=0xe3 => {
            let character = text.get(at..).and_then(|rest| rest.chars().next());
            character.filter(|it| it.is_whitespace()).map_or(0, char::len_utf8)
        }
        _ => 0,
    }
}

fn finish(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

fn without_redirections(words: Vec<String>) -> Vec<String> {
    let mut kept = Vec::with_capacity(words.len());
    let mut skip = false;
    for word in words {
        if std::mem::take(&mut skip) {
            continue;
        }
        let operator = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
        if word.len() - operator.len() <= 1 && operator.starts_with('>') {
            // `>` alone takes the next word with it.
            skip = operator.trim_start_matches(['>', '|']).is_empty();
            continue;
        }
        kept.push(word);
    }
    kept
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(line: &str, expected: &Expect) {
        let shown: Vec<String> = commands(line)
            .iter()
            .map(|it| {
                let folder = it.folder.as_deref().map(|folder| format!(" in {folder}")).unwrap_or_default();
                let piped = if it.is_piped { " piped" } else { "" };
                let once = if it.is_repeatable { "" } else { " once" };
                format!("{}{folder}{piped}{once}\n", it.normal())
            })
            .collect();
        expected.assert_eq(&shown.concat());
    }

    #[test]
    fn a_line_is_taken_apart_as_a_shell_would() {
        check(
            "cd web && CI=1 npm test -- --run 2>&1 | tail -20; git status",
            &expect![[r"
            CI=1 npm test -- --run in web piped
            git status in web
        "]],
        );
        check(
            "go test ./... -run 'TestA|TestB' > out.txt 2>&1 || echo \"a && b; c\"",
            &expect![[r#"
            go test ./... -run 'TestA|TestB'
            echo "a && b; c"
        "#]],
        );
        check(
            "(cd sub && make -j4 all) & wait",
            &expect![[r"
            make -j4 all in sub
            wait in sub
        "]],
        );
        check(
            "cargo test \\\n  --workspace # all of it\nls",
            &expect![[r"
            cargo test --workspace
            ls
        "]],
        );
        check(
            "echo '{\"a\":1}' | ./tool hook | head -3",
            &expect![[r#"
            echo '{"a":1}' | ./tool hook piped
        "#]],
        );
    }

    #[test]
    fn what_cannot_be_run_again_is_marked() {
        check(
            "git commit -m \"$(cat <<'EOF'\nit's done; go test ./...\nEOF\n)\" && go vet ./...",
            &expect![[r#"
                git commit -m "$(cat  once
                go vet ./...
            "#]],
        );
        check(
            "for d in a b; do (cd $d && go test ./$d); done; make",
            &expect![[r#"
                (cd $d && go test ./$d) once
                make
            "#]],
        );
        check(
            "python3 - <<EOF\nprint('a | b')\nEOF\npytest -q",
            &expect![[r"
            python3 - once
            pytest -q
        "]],
        );
    }
}
