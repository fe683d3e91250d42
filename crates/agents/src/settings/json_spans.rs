//! JSON spans: where each value of a JSON text begins and ends, so that an edit can leave every other byte alone.

use std::ops::Range;

use serde_json::Value;

use super::comments::{self, Grammar};
use super::problem::SettingsProblem;

/// A value and its place in the text.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) kind: Kind,
}

/// What the value is; only what an edit has to look into.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    String(String),
    Other,
}

/// One `"name": value` of an object.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) name_span: Range<usize>,
    pub(crate) value: Node,
}

impl Node {
    pub(crate) fn members(&self) -> Option<&[Member]> {
        if let Kind::Object(members) = &self.kind { Some(members) } else { None }
    }

    pub(crate) fn elements(&self) -> Option<&[Node]> {
        if let Kind::Array(elements) = &self.kind { Some(elements) } else { None }
    }

    pub(crate) fn string(&self) -> Option<&str> {
        if let Kind::String(string) = &self.kind { Some(string) } else { None }
    }

    /// The member of that name; `None` also when this is no object.
    pub(crate) fn member(&self, name: &str) -> Option<&Member> {
        self.members()?.iter().find(|member| member.name == name)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        self.member(name).map(|member| &member.value)
    }

    /// The spans of what this container holds: whole members of an object, elements of an array.
    pub(crate) fn children(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(Member::span).collect(),
            Kind::Array(elements) => elements.iter().map(|element| element.span.clone()).collect(),
            Kind::String(_) | Kind::Other => Vec::new(),
        }
    }

    /// The value itself, read from `text`, the text this node was made from.
    pub(crate) fn value(&self, text: &str) -> Value {
        let Some(raw) = text.get(self.span.clone()) else { return Value::Null };
        let read = serde_json::from_str(raw);
        read.or_else(|_| serde_json::from_str(&comments::blanked(raw, Grammar::CommentsAndCommas)))
            .unwrap_or(Value::Null)
    }
}

impl Member {
    pub(crate) fn span(&self) -> Range<usize> {
        self.name_span.start..self.value.span.end
    }
}

/// Parses strictly (no comments, no trailing commas; nested at most 128 deep, as `serde_json` allows).
pub(crate) fn parse(text: &str) -> Result<Node, SettingsProblem> {
    // The grammar is checked first: the scanner below only measures and may trust what it sees.
    serde_json::from_str::<Value>(text).map_err(|error| SettingsProblem::syntax(text, &error))?;
    let mut scanner = Scanner { text, at: 0 };
    scanner.value().ok_or_else(|| SettingsProblem::at(text, scanner.at, "could not be measured", ""))
}

/// Parses what a client takes for JSON. The places are those of `text`.
pub(crate) fn parse_as(text: &str, grammar: Grammar) -> Result<Node, SettingsProblem> {
    if grammar == Grammar::Strict { parse(text) } else { parse(&comments::blanked(text, grammar)) }
}

/// Whether the byte is white space to JSON.
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl Scanner<'_> {
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).copied().is_some_and(is_blank) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn value(&mut self) -> Option<Node> {
        let first = self.peek()?;
        let start = self.at;
        let kind = match first {
            b'{' => Kind::Object(self.list(b'}', Self::one_member)?),
            b'[' => Kind::Array(self.list(b']', Self::value)?),
            b'"' => Kind::String(self.string()?),
            _ => self.word(),
        };
        Some(Node { span: start..self.at, kind })
    }

    fn list<T>(&mut self, close: u8, one: fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            match self.peek()? {
                byte if byte == close => {
                    self.at += 1;
                    return Some(items);
                }
                b',' => self.at += 1,
                _ => items.push(one(self)?),
            }
        }
    }

    fn one_member(&mut self) -> Option<Member> {
        let start = self.at;
        let name = self.string()?;
        let name_span = start..self.at;
        (self.peek()? == b':').then_some(())?;
        self.at += 1;
        Some(Member { name, name_span, value: self.value()? })
    }

    fn string(&mut self) -> Option<String> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        (bytes.get(start) == Some(&b'"')).then_some(())?;
        self.at += 1;
        loop {
            match bytes.get(self.at)? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        serde_json::from_str(self.text.get(start..self.at)?).ok()
    }

    fn word(&mut self) -> Kind {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|byte| !is_blank(*byte) && !b",]}".contains(byte)) {
            self.at += 1;
        }
        Kind::Other
    }
}
