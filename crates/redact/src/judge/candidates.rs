//! Candidates: which pieces of a scene, and which rows of them, are worth their numbers.

use super::atoms::gap;
use super::words::class;
use super::{
    CODE, LOGIN, Line, Mark, PASS, PASSWORD, PHRASE_WORDS_MAX, Row, SOFT, Scene, Span, VALUE_BYTES_MAX,
    VALUE_BYTES_MIN, WORD_BYTES_MAX, look, overlaps, place,
};
use crate::OPENING;

pub(super) fn each_in(
    scene: &Scene<'_>,
    ruled: &[(usize, usize)],
    found: &mut impl FnMut(&Span, &Row, bool),
) {
    let overlaps = |start, end| overlaps(ruled, start, end);
    let mut tell = |span: &Span, is_ruled: bool| {
        let mut row = Row::new();
        look::add(&scene.text[span.start..span.end], &mut row);
        place::add(scene, span, &mut row);
        found(span, &row, is_ruled);
    };
    for (number, line) in scene.lines.iter().enumerate() {
        for index in line.first..line.last {
            let atom = &scene.atoms[index];
            if may_be_value(scene, line, index) && !overlaps(atom.start, atom.end) {
                let span = Span {
                    start: atom.start,
                    end: atom.end,
                    line: number,
                    first: index,
                    last: index,
                    is_quoted: atom.is_quoted,
                    is_phrase: false,
                };
                tell(&span, false);
            }
            for last in phrase_ends(scene, number, index).into_iter().flatten() {
                let (start, end) = (atom.start, scene.atoms[last].end);
                if !overlaps(start, end) {
                    tell(
                        &Span {
                            start,
                            end,
                            line: number,
                            first: index,
                            last,
                            is_quoted: false,
                            is_phrase: true,
                        },
                        false,
                    );
                }
            }
        }
        let quoted = &scene.quoted[scene.quoted.partition_point(|it| it.start < line.start)..];
        for quoted in quoted.iter().take_while(|it| it.end <= line.end) {
            if quoted.end - quoted.start >= VALUE_BYTES_MIN && !overlaps(quoted.start, quoted.end) {
                tell_span(scene, number, (quoted.start, quoted.end), true, |span| tell(span, false));
            }
        }
        let of_line = &ruled[ruled.partition_point(|it| it.0 < line.start)..];
        for (start, end) in of_line.iter().take_while(|it| it.0 < line.end).filter(|it| it.1 <= line.end) {
            tell_span(scene, number, (*start, *end), false, |span| tell(span, true));
        }
    }
}

/// A value that is no piece of its own: the pieces that it covers.
fn tell_span(
    scene: &Scene<'_>,
    number: usize,
    (start, end): (usize, usize),
    is_quoted: bool,
    tell: impl FnOnce(&Span),
) {
    let line = &scene.lines[number];
    let of_line = &scene.atoms[line.first..line.last];
    let first = line.first + of_line.partition_point(|atom| atom.end <= start);
    let last = line.first + of_line.partition_point(|atom| atom.start < end);
    if first < last && end - start <= VALUE_BYTES_MAX {
        let is_phrase = scene.text[start..end].contains(' ');
        let is_quoted = is_quoted || last == first + 1 && scene.atoms[first].is_quoted;
        tell(&Span { start, end, line: number, first, last: last - 1, is_quoted, is_phrase });
    }
}

/// Whether a piece is worth its numbers: most words are nothing but words.
fn may_be_value(scene: &Scene<'_>, line: &Line, index: usize) -> bool {
    let atom = &scene.atoms[index];
    let value = &scene.text[atom.start..atom.end];
    let length = value.len();
    if !(VALUE_BYTES_MIN..=VALUE_BYTES_MAX).contains(&length)
        || value.contains(OPENING)
        || value.contains("://")
    {
        return false;
    }
    // The kind that a mark names, or its digits.
    if scene.text[..atom.start].ends_with("[masked:") || value == "masked" {
        return false;
    }
    let bytes = value.as_bytes();
    if bytes.iter().all(u8::is_ascii_digit) {
        return length <= 24;
    }
    // A place in memory, a moment.
    let is_pointer = value.starts_with("0x") && length < 20;
    let is_moment =
        length >= 16 && bytes[4] == b'-' && bytes[10] == b'T' && bytes[..4].iter().all(u8::is_ascii_digit);
    if is_pointer || is_moment {
        return false;
    }
    let is_digest = ["sha1-", "sha256-", "sha384-", "sha512-", "md5-"].iter().any(|it| value.starts_with(it));
    if is_digest {
        return false;
    }
    // A line of a key or a certificate: that is looked at as a whole.
    if matches!(length, 64 | 76) && !bytes.iter().all(u8::is_ascii_hexdigit) {
        return false;
    }
    // A digit, or a sign that no name has.
    let stands_out = bytes[1..].iter().any(|byte| byte.is_ascii_digit() || b"!#$%&*+?~@".contains(byte));
    if stands_out {
        return true;
    }
    if atom.classes != 0 || length < 5 {
        return false;
    }
    // Nobody chooses a word for a token.
    let is_quoted_setting =
        atom.before & (gap::EQUALS | gap::COLON) != 0 && !value.chars().all(char::is_alphabetic);
    let near = scene.near(atom.start);
    if !is_quoted_setting && !near.is_empty() && !near.iter().any(is_of_chosen) {
        return false;
    }
    // `Sieben-auf-einen`, and what stands in brackets behind the word that names it.
    let is_mixed = bytes[1..length - 1].iter().any(|byte| matches!(byte, b'-' | b'_' | b'.'))
        && bytes.iter().any(u8::is_ascii_uppercase)
        && bytes.iter().any(u8::is_ascii_lowercase);
    let is_bracketed = atom.before & gap::PAREN != 0
        && near.iter().any(|mark| mark.end < atom.start && mark.end + 3 > atom.start);
    if is_mixed || is_bracketed {
        return true;
    }
    let is_joined = atom.before & (gap::COLON | gap::EQUALS | gap::QUOTE | gap::ARROW) != 0 || atom.is_quoted;
    let last =
        index.checked_sub(1).filter(|last| *last >= line.first).map_or(0, |last| scene.atoms[last].classes);
    let is_flagged = index > line.first && scene.text[scene.atoms[index - 1].start..].starts_with('-');
    is_joined || is_flagged || last & SPEAKS != 0 || line.last - line.first == 1
}

/// Whether a word speaks of what people choose, or type.
fn is_of_chosen(mark: &Mark) -> bool {
    matches!(mark.class, PASSWORD | CODE | LOGIN | SOFT | PASS)
}

/// Classes of the words right before a value.
const SPEAKS: u16 = class::LINK | class::ENTER | class::SETTLED | class::ASK | class::GIVEN;
/// Words behind which a sentence goes on that has named a value.
const GOES_ON: [&str; 34] = [
    "and",
    "und",
    "y",
    "et",
    "e",
    "en",
    "i",
    "och",
    "og",
    "when",
    "wenn",
    "then",
    "dann",
    "but",
    "aber",
    "until",
    "bis",
    "because",
    "weil",
    "as",
    "als",
    "for",
    "for",
    "für",
    "fürs",
    "into",
    "at",
    "ein",
    "an",
    "gesetzt",
    "eingegeben",
    "eingetippt",
    "geändert",
    "vergeben",
];
/// Most ends of some words that may be one value.
const ENDS_MAX: usize = 3;

/// Whether what stands before a piece leads to a value.
fn is_led(scene: &Scene<'_>, line: &Line, index: usize, last_classes: u16) -> bool {
    let atom = &scene.atoms[index];
    atom.before
        & (gap::COLON
            | gap::EQUALS
            | gap::QUOTE
            | gap::DASH
            | gap::ARROW
            | gap::LINE
            | gap::WIDE
            | gap::BAR
            | gap::STAR
            | gap::BRACKET
            | gap::PAREN)
        != 0
        || last_classes & SPEAKS != 0
        || last_classes & class::STOP != 0
            && atom.classes == 0
            && index >= line.first + 2
            && scene.atoms[index - 2].classes & (class::SETTLED | class::ENTER) != 0
}

/// Where groups of a code end that begin here: all of one length, some with a digit.
fn code_end(scene: &Scene<'_>, line: &Line, index: usize) -> Option<usize> {
    let length = |number: usize| scene.atoms[number].end - scene.atoms[number].start;
    let is_group = |number: usize| {
        let atom = &scene.atoms[number];
        (number == index || atom.before == gap::SPACE)
            && length(number) == length(index)
            && scene.text[atom.start..atom.end].bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    if !(3..=6).contains(&length(index)) {
        return None;
    }
    let last = (index..line.last).take_while(|number| is_group(*number)).last()?;
    let text = &scene.text[scene.atoms[index].start..scene.atoms[last].end];
    (last > index && text.bytes().any(|byte| byte.is_ascii_digit())).then_some(last)
}

/// The last pieces of some words that may be one value beginning here: where the words end, and where a sentence may go on.
fn phrase_ends(scene: &Scene<'_>, line_number: usize, index: usize) -> [Option<usize>; ENDS_MAX] {
    let mut ends = [None; ENDS_MAX];
    let line = &scene.lines[line_number];
    let atom = &scene.atoms[index];
    let last_classes =
        index.checked_sub(1).filter(|last| *last >= line.first).map_or(0, |last| scene.atoms[last].classes);
    let is_led = is_led(scene, line, index, last_classes);
    // `password pickled onion 77`: without a number it is talk.
    let is_behind_name =
        || scene.near(atom.start).iter().any(|mark| mark.end < atom.start && mark.end + 4 > atom.start);
    let begins = is_led || is_behind_name();
    if !begins || atom.is_quoted {
        return ends;
    }
    let mut count = 0;
    let mut last = index;
    let mut is_whole = true;
    let code_end = code_end(scene, line, index);
    while last + 1 < line.last
        && scene.atoms[last + 1].before == gap::SPACE
        && !scene.atoms[last + 1].is_quoted
    {
        let next = &scene.atoms[last + 1];
        let word = &scene.text[next.start..next.end];
        if next.classes != 0 && last > index && count + 1 < ENDS_MAX && GOES_ON.contains(&word) {
            ends[count] = Some(last);
            count += 1;
        }
        last += 1;
        if next.end - next.start > WORD_BYTES_MAX || last - index >= PHRASE_WORDS_MAX {
            is_whole = false;
            break;
        }
    }
    if is_whole && last > index {
        ends[count] = Some(last);
        count += 1;
    }
    // `8894 6829 1490 then press`: groups of a code, and what follows.
    if count < ENDS_MAX && code_end.is_some() && !ends.contains(&code_end) {
        ends[count] = code_end;
    }
    // Only where somebody said what it is.
    let is_told = || {
        let floor = scene.lines[line_number.saturating_sub(1)].start;
        scene
            .near(atom.start)
            .iter()
            .any(|mark| is_of_chosen(mark) && (mark.class != SOFT || mark.start >= floor))
    };
    let is_one = |last: &usize| {
        let value = &scene.text[atom.start..scene.atoms[*last].end];
        let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
        value.len() <= VALUE_BYTES_MAX
            && (is_led || has_digit)
            && !value.contains(OPENING)
            && !value.contains("://")
    };
    if ends.iter().all(Option::is_none) || !is_told() {
        return [None; ENDS_MAX];
    }
    ends.map(|end| end.filter(is_one))
}
