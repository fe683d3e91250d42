//! Rust source: which lines hold code, which text is comment. Lexed, not guessed: a `//` inside a string is no comment.

use std::collections::BTreeSet;
use std::str::FromStr;

use proc_macro2::{Delimiter, LineColumn, Span, TokenStream, TokenTree};

/// A lexed file.
#[derive(Debug)]
pub(crate) struct RustSource {
    /// All tokens, doc comments included (as `#[doc = "…"]`).
    pub(crate) tokens: TokenStream,
    /// Line numbers (from 1) that hold at least one token that is no comment.
    pub(crate) code_lines: BTreeSet<usize>,
    /// Comment text line by line, doc comments included.
    pub(crate) comments: Vec<(usize, String)>,
}

impl RustSource {
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let tokens = TokenStream::from_str(text)
            .map_err(|error| format!("line {}: {error}", error.span().start().line))?;
        let mut lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
        // `lines()` takes the byte-order mark for a character; the lexer's columns begin after it.
        if let Some(first) = lines.first_mut() {
            first.retain(|character| *character != '\u{feff}');
        }
        let mut code = CodeMask { lines, code_lines: BTreeSet::new() };
        code.cover(&tokens);
        let comments = code
            .lines
            .iter()
            .enumerate()
            .map(|(index, line)| (index + 1, line.iter().collect::<String>()))
            .filter(|(_, text)| !text.trim().is_empty())
            .collect();
        Ok(Self { tokens, code_lines: code.code_lines, comments })
    }

    /// How many lines hold code.
    pub(crate) fn code_line_count(&self) -> usize {
        self.code_lines.len()
    }

    /// How many lines strictly between two others hold code; at least one, for a body on a single line.
    pub(crate) fn code_lines_between(&self, open: usize, close: usize) -> usize {
        if close <= open + 1 {
            return 1;
        }
        self.code_lines.range(open + 1..close).count().max(1)
    }
}

/// Blanks out code, so that comments remain.
struct CodeMask {
    lines: Vec<Vec<char>>,
    code_lines: BTreeSet<usize>,
}

impl CodeMask {
    fn cover(&mut self, tokens: &TokenStream) {
        let mut in_doc_comment = false;
        for token in tokens.clone() {
            match &token {
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    in_doc_comment = self.is_comment(punct.span());
                    if !in_doc_comment {
                        self.cover_span(punct.span());
                    }
                }
                TokenTree::Punct(punct) if punct.as_char() == '!' && in_doc_comment => {}
                TokenTree::Group(group) if in_doc_comment && group.delimiter() == Delimiter::Bracket => {
                    in_doc_comment = false;
                }
                TokenTree::Group(group) => {
                    if group.delimiter() != Delimiter::None {
                        self.cover_span(group.span_open());
                        self.cover_span(group.span_close());
                    }
                    self.cover(&group.stream());
                }
                other => self.cover_span(other.span()),
            }
        }
    }

    /// The lexer turns `/// text` into `#[doc = "text"]`, with the comment's own place.
    fn is_comment(&self, span: Span) -> bool {
        let LineColumn { line, column } = span.start();
        self.lines.get(line - 1).and_then(|line| line.get(column)) == Some(&'/')
    }

    fn cover_span(&mut self, span: Span) {
        let (start, end) = (span.start(), span.end());
        for number in start.line..=end.line {
            let Some(line) = self.lines.get_mut(number - 1) else { continue };
            let from = if number == start.line { start.column } else { 0 };
            let to = if number == end.line { end.column.min(line.len()) } else { line.len() };
            let Some(covered) = line.get_mut(from..to) else { continue };
            if covered.iter().any(|character| !character.is_whitespace()) {
                self.code_lines.insert(number);
            }
            covered.fill(' ');
        }
    }
}

/// Every token with the ones before it in the same group, deepest included.
pub(crate) fn for_each_token(tokens: &TokenStream, visit: &mut dyn FnMut(&[TokenTree], &TokenTree)) {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    for (index, tree) in trees.iter().enumerate() {
        visit(&trees[..index], tree);
        if let TokenTree::Group(group) = tree {
            for_each_token(&group.stream(), visit);
        }
    }
}

/// The content of `#[…]` or `#![…]`, when `tree` is that group.
pub(crate) fn attribute_content(before: &[TokenTree], tree: &TokenTree) -> Option<TokenStream> {
    let TokenTree::Group(group) = tree else { return None };
    let is_punct =
        |tree: &TokenTree, expected| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == expected);
    let opens = match before {
        [.., hash] if is_punct(hash, '#') => true,
        [.., hash, bang] => is_punct(hash, '#') && is_punct(bang, '!'),
        _ => false,
    };
    (opens && group.delimiter() == Delimiter::Bracket).then(|| group.stream())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_lines(text: &str) -> Vec<usize> {
        RustSource::read(text).unwrap().code_lines.into_iter().collect()
    }

    #[test]
    fn blank_lines_and_comments_of_every_kind_are_no_code() {
        let text =
            "//! about\n\n/// doc\n// plain\nfn a() {} // tail\n/* block\n still */\n#[test]\nfn b() {}\n";
        assert_eq!(code_lines(text), [5, 8, 9]);
    }

    #[test]
    fn a_string_that_looks_like_a_comment_is_code() {
        assert_eq!(code_lines("const A: &str = \"\n// inside\n\n\";\n"), [1, 2, 4]);
    }

    #[test]
    fn comments_are_kept_with_their_lines() {
        let source = RustSource::read("//! é about\nfn a() {} // why\n").unwrap();
        let comments: Vec<_> = source.comments.iter().map(|(line, text)| (*line, text.trim())).collect();
        assert_eq!(comments, [(1, "//! é about"), (2, "// why")]);
    }

    #[test]
    fn a_file_that_is_no_rust_is_reported_and_not_a_panic() {
        assert!(RustSource::read("fn a( {").is_err());
    }
}
