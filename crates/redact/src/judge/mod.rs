//! The judge: a second look at whatever stands near a word that says secret, learnt from examples.
//!
//! The rules know forms and joints; people write in more ways than anybody lists. Here every piece near a telling word
//! is described by numbers (how it looks, how it stands, what is said around it), and a few small trees, trained by
//! `cargo run --release -p throughline-redact --example train_judge`, weigh them. What they are sure of is masked though
//! no rule knew it, and what a rule guessed is left when they are sure that it is none.

mod atoms;
mod candidates;
mod look;
mod place;
mod public;
mod trees;
mod words;

use super::hints::What;
use super::names::{self, Says};
use super::value::{self, Standing};
use super::{Found, named};
use atoms::{Atom, Quoted};

/// How many numbers describe a value.
pub const FEATURES: usize = 214;
/// How far before and behind a telling word values are looked for, and on how many lines.
const BACK_BYTES: usize = 140;
const REACH_BYTES: usize = 320;
const LINES_BELOW: usize = 4;
/// How far a value's words may stand from it.
const NEAR_BACK_BYTES: usize = 320;
const NEAR_BYTES: usize = 160;
const NEAR_MARKS_MAX: usize = 12;
/// Longest and shortest value.
const VALUE_BYTES_MAX: usize = 160;
const VALUE_BYTES_MIN: usize = 4;
const PHRASE_WORDS_MAX: usize = 8;
/// Longest word of some words together.
const WORD_BYTES_MAX: usize = 20;
const OVERLAPS_MAX: usize = 4;
/// A text that is no longer may be a message: it is judged though no word of it tells, when it has some words and
/// something stands out.
const MESSAGE_BYTES_MAX: usize = 400;
/// How much more speaks for a value there, in the trees' steps.
const UNTOLD: i32 = 1_000;
const MESSAGE_BLANKS_MIN: usize = 5;
const MESSAGE_BYTES_MIN: usize = 30;

/// The numbers of a value, one after the other.
#[derive(Debug, Clone)]
struct Row {
    /// As many as a byte can count, so that no question asks for one that is not there.
    values: [u8; 256],
    count: usize,
}

impl Row {
    fn new() -> Self {
        Self { values: [0; 256], count: 0 }
    }

    fn add(&mut self, value: u8) {
        debug_assert!(self.count < FEATURES, "a number too many");
        if let Some(place) = self.values.get_mut(self.count) {
            *place = value;
        }
        self.count += 1;
    }

    fn flag(&mut self, value: bool) {
        self.add(u8::from(value));
    }
}

/// A word that says secret, or that one is near.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    start: usize,
    end: usize,
    /// The less, the more it says.
    class: u8,
    /// Whether it is a part of a longer name.
    is_part: bool,
    is_plural: bool,
}

/// All such words of a text.
#[derive(Debug, Default)]
pub(super) struct Marks(Vec<Mark>);

const PASSWORD: u8 = 1;
const TOKEN: u8 = 2;
const CODE: u8 = 3;
const PASS: u8 = 4;
const KEY: u8 = 5;
const LOGIN: u8 = 6;
const SOFT: u8 = 7;
const COMMAND: u8 = 8;
const BARE_KEY: u8 = 9;
const NAMED: u8 = 10;
const WEAK: u8 = 11;

impl Marks {
    /// Notes a hint at its place.
    pub(super) fn note(&mut self, text: &str, what: What, (at, end): (usize, usize)) {
        let bytes = text.as_bytes();
        let name = if what == What::Name { named::name_around(bytes, at, end) } else { (at, end) };
        let class = match what {
            What::Name => class_of_name(&text[name.0..name.1], &text[at..end]),
            What::ShortName => Some(PASSWORD),
            What::Foreign(Says::Password | Says::Pass | Says::Phrase) => Some(PASSWORD),
            What::Foreign(_) => Some(TOKEN),
            What::Pin | What::Codes | What::SeedPhrase | What::Words | What::OtpSeed | What::Otp => {
                Some(CODE)
            }
            What::LoginTalk => Some(LOGIN),
            // ` -p `: of any program.
            What::Command if !text[at..end].starts_with([' ', '-']) => Some(COMMAND),
            What::Soft => Some(SOFT),
            _ => None,
        };
        let Some(class) = class else { return };
        // `4ab-2fab`: in what is drawn at random it says nothing.
        let is_inside =
            |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
        if matches!(what, What::OtpSeed | What::Otp) && (is_inside(at.checked_sub(1)) || is_inside(Some(end)))
        {
            return;
        }
        let (start, stop) = name;
        let is_plural =
            matches!(bytes[stop - 1], b's' | b'S') || matches!(bytes.get(stop), Some(b's' | b'S'));
        let is_joined = |byte: Option<&u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/'))
        };
        let is_part = start < at
            || end < stop
            || is_joined(bytes.get(stop)) && is_joined(bytes.get(stop + 1))
            || start > 0 && is_joined(bytes.get(start - 1));
        self.0.push(Mark { start, end: stop, class, is_part, is_plural });
    }
}

fn class_of_name(name: &str, word: &str) -> Option<u8> {
    match names::says_of_many(name) {
        Some(Says::Password | Says::Phrase) => Some(PASSWORD),
        Some(Says::Token) => Some(TOKEN),
        Some(Says::Key) => Some(KEY),
        Some(Says::Pass) => Some(PASS),
        None if name.eq_ignore_ascii_case("pass") => Some(PASS),
        None if name.eq_ignore_ascii_case("key") || name.eq_ignore_ascii_case("keys") => Some(BARE_KEY),
        // `jwt.sign`: something is done with one.
        None if ["jwt", "secret", "passw"].iter().any(|it| word.eq_ignore_ascii_case(it)) => Some(NAMED),
        None if word.eq_ignore_ascii_case("phrase") => Some(SOFT),
        None if name.len() < 40 => Some(WEAK),
        None => None,
    }
}

/// A line of a scene.
#[expect(clippy::struct_excessive_bools, reason = "what is seen of a line, each a number of its own")]
#[derive(Debug)]
struct Line {
    start: usize,
    end: usize,
    first: usize,
    /// One behind its last piece.
    last: usize,
    /// What stands behind that.
    after: u16,
    code: u8,
    bars: u8,
    is_prompt: bool,
    is_comment: bool,
    /// Whether it ends with a colon, or with a question mark.
    ends_open: bool,
    is_question: bool,
    /// How many of its first words are about what.
    about: [u8; place::BEYOND.len()],
}

/// A stretch of a text around telling words.
struct Scene<'t> {
    text: &'t str,
    marks: &'t [Mark],
    atoms: Vec<Atom>,
    quoted: Vec<Quoted>,
    lines: Vec<Line>,
}

impl Scene<'_> {
    /// The telling words near a place, in order.
    fn near(&self, at: usize) -> &[Mark] {
        let from = self.marks.partition_point(|mark| mark.start + NEAR_BACK_BYTES < at);
        let here = self.marks.partition_point(|mark| mark.start < at);
        let to = self.marks.partition_point(|mark| mark.start < at + NEAR_BYTES);
        &self.marks[from.max(here.saturating_sub(NEAR_MARKS_MAX))..to.min(here + NEAR_MARKS_MAX)]
    }
}

/// A value, maybe of several pieces.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
    line: usize,
    first: usize,
    last: usize,
    is_quoted: bool,
    is_phrase: bool,
}

/// What was judged: for whoever trains the trees.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Its numbers.
    pub row: [u8; 256],
    /// Whether a rule found it.
    pub is_ruled: bool,
    /// Its sort: each has a threshold of its own.
    pub sort: usize,
    /// Whether it is none, whatever the trees say.
    pub is_barred: bool,
}

/// How many sorts of values there are.
pub const SORTS: usize = 6;

/// The sort of a value: chosen by a person, drawn at random, a number, some words, words that are
/// joined, one word. What is random is public more
/// often than secret, and words are mostly words.
fn sort_of(value: &str) -> usize {
    let bytes = value.as_bytes();
    let is_hex =
        bytes.len() >= 7 && bytes.iter().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'-' | b':'));
    match () {
        () if bytes.iter().all(|byte| byte.is_ascii_digit() || b"-.:/+, ".contains(byte)) => 2,
        () if value.contains(' ') => 3,
        () if is_word(value) => 5,
        () if is_words(value) => 4,
        () if is_hex
            || bytes.len() >= 16 && value::is_token(value, Standing::Plain) && !value::is_wordy(value) =>
        {
            1
        }
        () if bytes.len() >= 28 => 1,
        () => 0,
    }
}

/// Takes what the judge is sure of into what the rules found, and out of it what it is sure is none.
pub(super) fn judge(text: &str, marks: Marks, found: &mut Vec<Found>) {
    // A text that is painted for a terminal was judged before it was painted, and colours are in the middle of its words.
    if text.contains('\u{1b}') {
        return;
    }
    let ruled = guesses(found);
    let more = if marks.0.is_empty() { UNTOLD } else { 0 };
    let mut vetoed = Vec::new();
    let mut added = Vec::new();
    each(text, marks, &ruled, |span, row, is_ruled| {
        let sum = trees::sum(&row.values);
        let value = &text[span.start..span.end];
        let may_leave = || !is_word(value) && !is_in_environment(text, span.start);
        let is_none = || public::is_public(value) || public::is_left_out(text, span.start, span.end);
        if is_ruled && (sum < trees::LEAVE && may_leave() || is_none()) {
            vetoed.push((span.start, span.end));
        } else if !is_ruled
            && sum >= trees::MASK_LEAST + more
            && sum >= trees::MASK[sort_of(value)] + more
            && !value::is_placeholder(value)
            && !is_barred(text, span)
            && !public::is_in_address(text, span.start)
        {
            added.push(Found { start: span.start, end: span.end, kind: "password", is_certain: false });
        }
    });
    if !vetoed.is_empty() {
        vetoed.sort_unstable();
        found.retain(|it| !is_guess(it) || vetoed.binary_search(&(it.start, it.end)).is_err());
    }
    found.extend(added);
}

fn is_barred(text: &str, span: &Span) -> bool {
    let value = &text[span.start..span.end];
    let is_told = |start: usize| public::is_named_only(text, start, start + value.len());
    // `agentId: a33b (send it to 'a33b')`: what was called an id before is one.
    let floor = text.ceil_char_boundary(span.start.saturating_sub(NEAR_BACK_BYTES));
    public::is_public(value)
        || public::is_left_out(text, span.start, span.end)
        || is_told(span.start)
        || text[floor..span.start].rfind(value).is_some_and(|at| is_told(floor + at))
}

/// Letters alone: the rules ask for much before they take one, and nothing in its look says more.
fn is_word(value: &str) -> bool {
    value.chars().all(char::is_alphabetic)
}

/// Letters, and marks between them: `Retry-After`, `token_bucket`.
fn is_words(value: &str) -> bool {
    value.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '_' | '.' | '/' | '\''))
}

/// `PASSWORD=swordfish`: whatever is set there is the value.
fn is_in_environment(text: &str, start: usize) -> bool {
    let before = text.as_bytes()[..start].strip_suffix(b"=").unwrap_or_default();
    let name = before
        .iter()
        .rev()
        .take(VALUE_BYTES_MAX)
        .take_while(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'0'..=b'9'));
    name.count() > 1
}

/// Where the rules guess and nothing certain stands, in order.
fn guesses(found: &[Found]) -> Vec<(usize, usize)> {
    let sorted = |is_wanted: fn(&Found) -> bool| {
        let mut all: Vec<(usize, usize)> =
            found.iter().filter(|it| is_wanted(it)).map(|it| (it.start, it.end)).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let certain = sorted(|it| !is_guess(it));
    let mut ruled = sorted(is_guess);
    ruled.retain(|it| !overlaps(&certain, it.0, it.1));
    ruled
}

/// Whether one of some places, which are in order, touches another. They seldom overlap each other: the last ones that
/// begin before its end are all that matter.
fn overlaps(places: &[(usize, usize)], start: usize, end: usize) -> bool {
    let before = &places[..places.partition_point(|it| it.0 < end)];
    before.iter().rev().take(OVERLAPS_MAX).any(|it| start < it.1)
}

/// What a rule found by a name near, not by its own form.
pub(super) fn is_guess(found: &Found) -> bool {
    !found.is_certain
        && matches!(
            found.kind,
            "password" | "token" | "secret" | "key" | "credential" | "pin" | "recovery-code"
        )
}

/// Every value of a text with its numbers.
pub(super) fn all(text: &str, marks: Marks, found: &[Found]) -> Vec<Judged> {
    let ruled = guesses(found);
    let mut judged = Vec::new();
    each(text, marks, &ruled, |span, row, is_ruled| {
        assert_eq!(row.count, FEATURES, "numbers");
        judged.push(Judged {
            start: span.start,
            end: span.end,
            row: row.values,
            is_ruled,
            sort: sort_of(&text[span.start..span.end]),
            is_barred: is_barred(text, span)
                || !is_ruled && value::is_placeholder(&text[span.start..span.end]),
        });
    });
    judged
}

fn each(text: &str, marks: Marks, ruled: &[(usize, usize)], mut found: impl FnMut(&Span, &Row, bool)) {
    let mut marks = marks.0;
    marks.sort_unstable_by_key(|mark| (mark.start, mark.end));
    marks.dedup_by(|next, mark| {
        next.start < mark.end && {
            mark.class = mark.class.min(next.class);
            mark.end = mark.end.max(next.end);
            true
        }
    });
    // What a rule found is judged, too, whatever stands near it.
    let guesses = ruled.iter().map(|(start, end)| Mark {
        start: *start,
        end: *end,
        class: NAMED,
        is_part: false,
        is_plural: false,
    });
    let mut openers: Vec<Mark> =
        marks.iter().filter(|mark| mark.class != WEAK).copied().chain(guesses).collect();
    if !ruled.is_empty() {
        openers.sort_unstable_by_key(|mark| mark.start);
    }
    if openers.is_empty() && text.len() <= MESSAGE_BYTES_MAX && is_message(text) {
        candidates::each_in(&scene(text, &marks, 0, text.len()), ruled, &mut found);
        return;
    }
    let (mut at, mut number) = (0, 0);
    while number < openers.len() {
        let Some((mut from, mut to)) = window(text, &openers[number], at) else {
            number += 1;
            continue;
        };
        number += 1;
        // Windows that touch are one.
        while let Some(opener) = openers.get(number) {
            match window(text, opener, at) {
                Some((next, end)) if next <= to => (from, to) = (from.min(next), to.max(end)),
                Some(_) => break,
                None => {}
            }
            number += 1;
        }
        let scene = scene(text, &marks, from, to);
        candidates::each_in(&scene, ruled, &mut found);
        at = to;
    }
}

/// Whether a text has some words, and one that is none: letters and digits together, or a capital before a hyphen. What has
/// the signs of code is no message.
fn is_message(text: &str) -> bool {
    if text.len() < MESSAGE_BYTES_MIN || memchr::memchr3(b'{', b';', b'\\', text.as_bytes()).is_some() {
        return false;
    }
    let is_odd = |word: &str| {
        let bytes = word.trim_end_matches(['.', ',', ':', ')', '?']).as_bytes();
        if bytes.len() < 8 || bytes.len() > VALUE_BYTES_MAX || !bytes[0].is_ascii_alphanumeric() {
            return false;
        }
        let (mut digits, mut letters, mut capitals, mut signs) = (0, 0, 0, 0);
        for byte in bytes {
            match byte {
                b'0'..=b'9' => digits += 1,
                b'a'..=b'z' | 0x80.. => letters += 1,
                b'A'..=b'Z' => capitals += 1,
                b'/' | b'=' | b'(' | b'<' | b'`' | b'"' | b':' => return false,
                _ => signs += 1,
            }
        }
        digits > 0 && letters + capitals > 3 || capitals > 0 && letters > 3 && signs > 0
    };
    let words = text.split_ascii_whitespace();
    words.clone().nth(MESSAGE_BLANKS_MIN).is_some() && words.clone().any(is_odd)
}

/// How much of a text a word opens; nothing before `floor`, which was looked at already.
fn window(text: &str, mark: &Mark, floor: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    // A key of which nothing is said names a column, or something on its line.
    let rest = bytes[mark.end..].iter().take(4).find(|byte| !matches!(byte, b' ' | b'*' | b'`' | b'"'));
    let is_head = matches!(rest, Some(b'|' | b':' | b'\n' | b'\t' | b',') | None);
    let is_line_only =
        matches!(mark.class, NAMED | COMMAND) || !is_head && matches!(mark.class, BARE_KEY | KEY);
    let back = mark.start.saturating_sub(BACK_BYTES).max(floor);
    let mut from =
        bytes.get(back..mark.start)?.iter().rposition(|byte| *byte == b'\n').map_or(back, |at| back + at + 1);
    if !is_line_only && from > back + 1 {
        from = bytes[back..from - 1].iter().rposition(|byte| *byte == b'\n').map_or(back, |at| back + at + 1);
    }
    let limit = text.len().min(mark.end + REACH_BYTES);
    let mut to = mark.end;
    let mut lines = 0;
    for (offset, byte) in bytes[mark.end.min(limit)..limit].iter().enumerate() {
        if *byte == b'\n' {
            lines += 1;
            if is_line_only || lines > LINES_BELOW {
                break;
            }
        }
        to = mark.end + offset + 1;
    }
    // Whole words.
    while to < text.len() && to < limit + VALUE_BYTES_MAX && !bytes[to].is_ascii_whitespace() {
        to += 1;
    }
    while from > floor
        && back == from
        && from + VALUE_BYTES_MAX > back
        && !bytes[from - 1].is_ascii_whitespace()
    {
        from -= 1;
    }
    let (from, to) = (text.ceil_char_boundary(from), text.floor_char_boundary(to));
    (from < to).then_some((from, to))
}

fn scene<'t>(text: &'t str, marks: &'t [Mark], from: usize, to: usize) -> Scene<'t> {
    let mut scene = Scene { text, marks, atoms: Vec::new(), quoted: Vec::new(), lines: Vec::new() };
    let mut start = from;
    for raw in text[from..to].split('\n') {
        let first = scene.atoms.len();
        let after = atoms::cut(raw, start, &mut scene.atoms, &mut scene.quoted);
        let mut about = [0_u8; place::BEYOND.len()];
        for (number, atom) in scene.atoms[first..].iter_mut().enumerate() {
            let word = &text[atom.start..atom.end];
            atom.classes = words::classes(word);
            let mut is_dotted = false;
            for byte in word.bytes() {
                atom.has_digit |= byte.is_ascii_digit();
                is_dotted |= matches!(byte, b'.' | b'@');
            }
            atom.is_address = is_dotted && place::is_address(word);
            if number < place::AROUND_ATOMS {
                for (bits, sum) in place::BEYOND.iter().zip(&mut about) {
                    *sum += u8::from(atom.classes & bits != 0);
                }
            }
        }
        let trimmed = raw.trim_start();
        let bytes = raw.as_bytes();
        scene.lines.push(Line {
            start,
            end: start + raw.len(),
            first,
            last: scene.atoms.len(),
            after,
            code: look::capped(bytes.iter().filter(|byte| b"(){};=".contains(byte)).count()),
            bars: look::capped(bytes.iter().filter(|byte| matches!(byte, b'|' | b'\t')).count()),
            is_prompt: trimmed.starts_with("$ ") || trimmed.starts_with("> ") || trimmed.starts_with("# "),
            is_comment: trimmed.starts_with("//") || trimmed.starts_with('#') || trimmed.starts_with("--"),
            ends_open: raw.trim_end().ends_with([':', '：']),
            is_question: raw.trim_end().ends_with(['?', '？']),
            about,
        });
        start += raw.len() + 1;
    }
    scene
}
