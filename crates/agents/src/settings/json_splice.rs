//! JSON splice: adds to and takes from a JSON text so that taking away what was added gives back the same bytes.
//!
//! An addition is one contiguous piece: after the last child of a container, or right behind the bracket of an empty
//! one. A container that was empty before us gets a blank line (a space, when all stands on one line) behind our
//! piece: that is how removal tells it from a container we made ourselves.

use std::ops::Range;

use serde_json::Value;

use super::comments;
use super::json_spans::{Node, is_blank};

/// Replace `span` by `with`.
#[derive(Clone, Debug)]
pub(crate) struct Splice {
    pub(crate) span: Range<usize>,
    pub(crate) with: String,
}

impl Splice {
    pub(crate) fn new(span: Range<usize>, with: impl Into<String>) -> Self {
        Self { span, with: with.into() }
    }

    pub(crate) fn apply(&self, text: &str) -> String {
        let before = text.get(..self.span.start).unwrap_or("");
        let after = text.get(self.span.end..).unwrap_or("");
        [before, &self.with, after].concat()
    }
}

/// What taking a child away comes to.
#[derive(Clone, Debug)]
pub(crate) enum Removal {
    /// The container stays.
    Cut(Splice),
    /// The container held nothing else and was made by us: it has to go too.
    ContainerToo,
}

/// How a new value is laid out.
#[derive(Clone, Debug)]
pub(crate) enum Layout {
    /// One item a line; the value's own line starts with this indent.
    Lines(String),
    /// All on one line.
    Inline,
}

/// The writing habits of one text.
#[derive(Clone, Debug)]
pub(crate) struct Style<'t> {
    text: &'t str,
    /// Where comments stand: whose they are cannot be told, so they stay.
    comments: Vec<Range<usize>>,
    newline: &'static str,
    unit: String,
    colon: &'static str,
    comma: &'static str,
}

impl<'t> Style<'t> {
    pub(crate) fn of(text: &'t str, root: &Node) -> Self {
        let mut style = Self {
            text,
            comments: comments::spans(text),
            newline: newline_of(text),
            unit: "  ".to_owned(),
            colon: ": ",
            comma: ", ",
        };
        if let Some(first) = root.members().and_then(|members| members.first()) {
            if let Some(indent) = style.line_indent(first.name_span.start)
                && !indent.is_empty()
            {
                indent.clone_into(&mut style.unit);
            }
            let between = text.get(first.name_span.end..first.value.span.start).unwrap_or("");
            if between == ":" {
                (style.colon, style.comma) = (":", ",");
            }
        }
        style
    }

    /// Adds a child behind the others. `owner` is where the container's own member or element starts; `None` for
    /// the root. `name` is given for an object.
    pub(crate) fn append(
        &self,
        container: &Node,
        owner: Option<usize>,
        name: Option<&str>,
        value: &Value,
    ) -> Splice {
        let child = |layout: &Layout| {
            let name = name.map(|name| format!("{}{}", Value::from(name), self.colon)).unwrap_or_default();
            name + &self.render(value, layout)
        };
        let children = container.children();
        if let Some(last) = children.last() {
            let (separator, layout) = match self.line_indent(last.start) {
                Some(indent) => (format!("{}{indent}", self.newline), Layout::Lines(indent.to_owned())),
                None if children.len() > 1 => (self.blank_before(last.start).to_owned(), Layout::Inline),
                None => (self.comma.get(1..).unwrap_or("").to_owned(), Layout::Inline),
            };
            return Splice::new(last.end..last.end, format!(",{separator}{}", child(&layout)));
        }
        let inside = container.span.start + 1;
        let with = match self.closing_indent(owner) {
            Some(close) => {
                let layout = Layout::Lines(format!("{close}{}", self.unit));
                let lead = format!("{}{close}{}", self.newline, self.unit);
                format!("{lead}{}{}", child(&layout), self.kept_mark(owner))
            }
            None => child(&Layout::Inline) + &self.kept_mark(owner),
        };
        Splice::new(inside..inside, with)
    }

    /// Takes the child at `index` away, with the comma that belongs to it.
    pub(crate) fn remove(&self, container: &Node, owner: Option<usize>, index: usize) -> Removal {
        let children = container.children();
        let Some(gone) = children.get(index) else { return Removal::ContainerToo };
        if let Some(before) = index.checked_sub(1).and_then(|before| children.get(before)) {
            return Removal::Cut(Splice::new(before.end..gone.end, self.comments_in(before.end..gone.start)));
        }
        if let Some(after) = children.get(index + 1) {
            return Removal::Cut(Splice::new(
                gone.start..after.start,
                self.comments_in(gone.end..after.start),
            ));
        }
        let inside = container.span.start + 1..container.span.end.saturating_sub(1);
        let behind = self.text.get(gone.end..inside.end).unwrap_or("");
        match behind.strip_prefix(&self.kept_mark(owner)) {
            Some(blank) => Removal::Cut(Splice::new(inside, blank)),
            None if self.has_comment(inside.start..gone.start) || self.has_comment(gone.end..inside.end) => {
                Removal::Cut(Splice::new(gone.clone(), ""))
            }
            None => Removal::ContainerToo,
        }
    }

    fn has_comment(&self, span: Range<usize>) -> bool {
        self.comments.iter().any(|comment| comment.start < span.end && span.start < comment.end)
    }

    /// What stays of the text between two children of which one goes: nothing, unless somebody wrote a comment there.
    fn comments_in(&self, span: Range<usize>) -> String {
        let between = self.text.get(span.clone()).unwrap_or("");
        if !self.has_comment(span.clone()) {
            return String::new();
        }
        let is_comma = |at: &usize| {
            let place = span.start + at;
            between.as_bytes().get(*at) == Some(&b',') && !self.has_comment(place..place + 1)
        };
        match (0..between.len()).find(is_comma) {
            Some(at) => format!("{}{}", &between[..at], &between[at + 1..]),
            None => between.to_owned(),
        }
    }

    /// A value in this text's habits.
    pub(crate) fn render(&self, value: &Value, layout: &Layout) -> String {
        let (items, open, close): (Vec<(Option<&str>, &Value)>, _, _) = match value {
            Value::Object(map) => {
                (map.iter().map(|(name, value)| (Some(name.as_str()), value)).collect(), '{', '}')
            }
            Value::Array(values) => (values.iter().map(|value| (None, value)).collect(), '[', ']'),
            plain => return plain.to_string(),
        };
        // A list of plain words reads best on one line.
        let plain =
            items.iter().all(|(name, value)| name.is_none() && !value.is_object() && !value.is_array());
        let (inner, lead, comma, trail) = match layout {
            Layout::Lines(indent) if !plain => {
                let deeper = format!("{indent}{}", self.unit);
                let lead = format!("{}{deeper}", self.newline);
                (Layout::Lines(deeper), lead, ",", format!("{}{indent}", self.newline))
            }
            _ => (Layout::Inline, String::new(), self.comma, String::new()),
        };
        let mut out = String::from(open);
        for (index, (name, value)) in items.into_iter().enumerate() {
            out += if index > 0 { comma } else { "" };
            out += &lead;
            if let Some(name) = name {
                out += &Value::from(name).to_string();
                out += self.colon;
            }
            out += &self.render(value, &inner);
        }
        out + &trail + &String::from(close)
    }

    /// How a value that stands at `start` should be laid out, given where its first child stands.
    pub(crate) fn layout_at(&self, start: usize, first_child: Option<usize>) -> Layout {
        match (self.line_indent(start), first_child.and_then(|child| self.line_indent(child))) {
            (Some(indent), Some(_)) => Layout::Lines(indent.to_owned()),
            _ => Layout::Inline,
        }
    }

    fn kept_mark(&self, owner: Option<usize>) -> String {
        match self.closing_indent(owner) {
            Some(close) => format!("{0}{0}{close}", self.newline),
            None => " ".to_owned(),
        }
    }

    /// The indent of an empty container's closing bracket once it is opened up; `None` when it stays on one line.
    fn closing_indent(&self, owner: Option<usize>) -> Option<&'t str> {
        match owner {
            None => Some(""),
            Some(start) => self.line_indent(start),
        }
    }

    /// The indent of what stands at `start`, if it is the first thing on its line.
    fn line_indent(&self, start: usize) -> Option<&'t str> {
        let blank = self.blank_before(start);
        blank.rfind('\n').and_then(|at| blank.get(at + 1..))
    }

    fn blank_before(&self, start: usize) -> &'t str {
        let before = self.text.get(..start).unwrap_or("");
        let solid = before.bytes().rposition(|byte| !is_blank(byte)).map_or(0, |at| at + 1);
        before.get(solid..).unwrap_or("")
    }
}

/// The line ending of the text; plain `\n` when it has only one line.
pub(crate) fn newline_of(text: &str) -> &'static str {
    let first = text.find('\n');
    if first.is_some_and(|at| text.get(..at).is_some_and(|line| line.ends_with('\r'))) {
        "\r\n"
    } else {
        "\n"
    }
}
