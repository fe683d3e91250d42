//! Fitting a line: what matters least goes first, then the names become shorter, and at last the line is cut.

use crate::clean::{cut, width};
use crate::facts::Facts;
use crate::look::{Colour, Look};
use crate::paint::{Span, Tone};
use crate::segment::Segment;
use crate::words;

/// A name is not made shorter than this.
const NAME_COLUMNS_MIN: usize = 4;

/// One line of segments, painted; empty where nothing is known.
pub(crate) fn line(facts: &Facts<'_>, segments: &[Segment], look: &Look) -> String {
    let mut parts: Vec<(Segment, Vec<Span>)> = segments
        .iter()
        .map(|segment| (*segment, words::spans(*segment, facts, look)))
        .filter(|(_, spans)| !spans.is_empty())
        .collect();
    let columns_max = look.columns.unwrap_or(usize::MAX);
    while columns(&parts, look) > columns_max && parts.len() > 1 {
        let last = parts.iter().enumerate().max_by_key(|(_, (segment, _))| segment.rank());
        let Some(at) = last.filter(|(_, (segment, _))| *segment != Segment::Model).map(|(at, _)| at) else {
            break;
        };
        parts.remove(at);
    }
    shorten_model(&mut parts, look, columns_max);
    paint(&joined(&parts, look), look, columns_max)
}

fn columns(parts: &[(Segment, Vec<Span>)], look: &Look) -> usize {
    joined(parts, look).iter().map(|span| width(&span.text)).sum()
}

/// The model's name gives way for the numbers beside it.
fn shorten_model(parts: &mut Vec<(Segment, Vec<Span>)>, look: &Look, columns_max: usize) {
    let over = columns(parts, look).saturating_sub(columns_max);
    let Some(at) = parts.iter().position(|(segment, _)| *segment == Segment::Model).filter(|_| over > 0)
    else {
        return;
    };
    let name = &parts[at].1[0].text;
    let (inner, brackets) = match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(inner) if look.preset.is_bracketed() => (inner, 2),
        _ => (name.as_str(), 0),
    };
    let room = width(name).saturating_sub(over + brackets);
    if room < NAME_COLUMNS_MIN && parts.len() > 1 {
        parts.remove(at);
        return;
    }
    let short = cut(inner, room, words::cut_mark(look.preset.is_ascii()));
    parts[at].1[0].text = if brackets == 2 { format!("[{short}]") } else { short };
}

/// All pieces of a line, the separators between them included.
fn joined(parts: &[(Segment, Vec<Span>)], look: &Look) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut before: Option<Segment> = None;
    for (segment, pieces) in parts {
        if let Some(before) = before {
            spans.push(separator(before, *segment, look));
        }
        spans.extend(pieces.iter().cloned());
        before = Some(*segment);
    }
    spans
}

fn separator(before: Segment, after: Segment, look: &Look) -> Span {
    let is_beside_model = look.preset.is_bracketed() && before == Segment::Model && after.group() == 1;
    if before.group() == after.group() || is_beside_model {
        Span::new(" ", Tone::Plain)
    } else {
        Span::new(look.preset.separator(), Tone::Dim)
    }
}

/// The line with its colours; what still does not fit is cut.
fn paint(spans: &[Span], look: &Look, columns_max: usize) -> String {
    // Two looks are without colours whatever the terminal can do.
    let colour = if look.preset.has_colours() { look.colour } else { Colour::Off };
    let mut line = String::new();
    let mark = words::cut_mark(look.preset.is_ascii());
    let mut room = columns_max;
    let total: usize = spans.iter().map(|span| width(&span.text)).sum();
    let is_cut = total > columns_max;
    for span in spans {
        let columns = width(&span.text);
        // Where something will be cut, the mark needs the last column.
        if columns + usize::from(is_cut) > room {
            let text = cut(&format!("{}{mark}", span.text), room, mark);
            Span::new(text, span.tone).paint(&mut line, colour);
            return line;
        }
        room -= columns;
        span.paint(&mut line, colour);
    }
    line
}
