//! Place: how a value stands in its line, and to the words that say what it is.

use super::atoms::{Atom, gap};
use super::look::capped;
use super::words::class;
use super::{Line, Mark, PASS, Row, Scene, Span};

/// How far words are counted on either side.
pub(super) const AROUND_ATOMS: usize = 14;
/// Lines above and below that are looked at, and for what.
const LINES_BEYOND: usize = 2;
pub(super) const BEYOND: [u16; 7] = [
    class::PUBLIC | class::EXAMPLE,
    class::WHO,
    class::GIVEN | class::LINK,
    class::EVENT | class::DUTY,
    class::ASK | class::ENTER,
    class::DEVICE,
    class::HEAD | class::NOUN,
];

/// Adds all that the place of a value says.
pub(super) fn add(scene: &Scene<'_>, span: &Span, row: &mut Row) {
    let line = &scene.lines[span.line];
    let (first, last) = (span.first, span.last);
    let before = scene.atoms.get(first).map_or(0, |it| it.before);
    let after = if last + 1 < line.last { scene.atoms[last + 1].before } else { line.after };
    add_gap(before, row);
    add_gap(after, row);
    row.flag(span.is_quoted);
    row.flag(span.is_phrase);
    row.add(capped(last + 1 - first));
    row.add(capped(first - line.first));
    row.add(capped(line.last.saturating_sub(last + 1)));
    // The two words before and the one behind.
    let at = |back: usize| first.checked_sub(back).filter(|number| *number >= line.first);
    for back in [1, 2] {
        add_neighbour(at(back).map(|number| &scene.atoms[number]), scene, row);
    }
    add_neighbour((last + 1 < line.last).then(|| &scene.atoms[last + 1]), scene, row);
    row.add(at(1).map_or(0, |number| gap_kind(scene.atoms[number].before)));
    add_inside(scene, span, row);
    add_around(scene, span, line, row);
    add_marks(scene, span, line, row);
    add_third(at(3).map(|number| &scene.atoms[number]), row);
    add_beyond(scene, span, row);
    add_kin(scene, span, line, row);
}

/// The signs on one side.
fn add_gap(bits: u16, row: &mut Row) {
    row.add(gap_kind(bits));
    for bit in [
        gap::COLON,
        gap::EQUALS,
        gap::QUOTE,
        gap::PAREN | gap::BRACKET,
        gap::BAR | gap::WIDE,
        gap::COMMA,
        gap::ARROW | gap::DASH,
        gap::SLASH,
        gap::LINE,
        gap::STAR,
        gap::STOP,
    ] {
        row.flag(bits & bit != 0);
    }
}

/// The sign that tells most.
fn gap_kind(bits: u16) -> u8 {
    let order = [
        gap::EQUALS,
        gap::COLON,
        gap::ARROW,
        gap::LINE,
        gap::BAR,
        gap::QUOTE,
        gap::SLASH,
        gap::DASH,
        gap::COMMA,
        gap::PAREN,
        gap::BRACKET,
        gap::WIDE,
        gap::STAR,
        gap::STOP,
        gap::SPACE,
    ];
    order.iter().position(|bit| bits & bit != 0).map_or(15, capped)
}

fn add_neighbour(atom: Option<&Atom>, scene: &Scene<'_>, row: &mut Row) {
    let classes = atom.map_or(0, |it| it.classes);
    for bit in [
        class::LINK,
        class::WHO,
        class::ENTER,
        class::PLACE | class::STOP,
        class::NOUN,
        class::HEAD,
        class::EVENT | class::DUTY,
        class::PUBLIC | class::EXAMPLE,
        class::GIVEN,
        class::ASK,
        class::SETTLED,
        class::DEVICE,
        class::OLD,
    ] {
        row.flag(classes & bit != 0);
    }
    let word = atom.map_or("", |it| &scene.text[it.start..it.end]);
    let is_plain = word.chars().all(char::is_alphabetic);
    row.add(match word {
        "" => 0,
        _ if is_plain && classes != 0 => 1,
        _ if is_plain && word.chars().all(char::is_lowercase) => 2,
        _ if is_plain => 3,
        _ if word.bytes().all(|byte| byte.is_ascii_digit()) => 4,
        _ => 5,
    });
}

/// The third word before.
fn add_third(atom: Option<&Atom>, row: &mut Row) {
    let classes = atom.map_or(0, |it| it.classes);
    for bit in [class::LINK, class::ENTER | class::SETTLED, class::WHO, class::DEVICE] {
        row.flag(classes & bit != 0);
    }
}

/// What the lines above and below are about.
fn add_beyond(scene: &Scene<'_>, span: &Span, row: &mut Row) {
    let above = span.line.saturating_sub(LINES_BEYOND)..span.line;
    let below = span.line + 1..(span.line + 1 + LINES_BEYOND).min(scene.lines.len());
    for lines in [above, below] {
        let mut counts = [0_u8; BEYOND.len()];
        for line in &scene.lines[lines] {
            for (count, sum) in line.about.iter().zip(&mut counts) {
                *sum += count;
            }
        }
        for count in counts {
            row.add(count);
        }
    }
    row.flag(span.line.checked_sub(1).is_some_and(|number| scene.lines[number].is_question));
}

/// Others that look like it: codes come in lists.
fn add_kin(scene: &Scene<'_>, span: &Span, line: &Line, row: &mut Row) {
    let form = form(&scene.text[span.start..span.end]);
    let from = span.first.saturating_sub(AROUND_ATOMS);
    let to = scene.atoms.len().min(span.last + 1 + AROUND_ATOMS);
    let (mut kin, mut alone, mut odd, mut has_address) = (0_usize, 0_usize, 0_usize, false);
    for (number, atom) in scene.atoms[from..to].iter().enumerate() {
        if (span.first..=span.last).contains(&(from + number)) {
            continue;
        }
        let is_here = atom.start >= line.start && atom.end <= line.end;
        odd += usize::from(is_here && atom.has_digit);
        has_address |= is_here && atom.end <= span.start && atom.is_address;
        let is_kin = || form == self::form(&scene.text[atom.start..atom.end]);
        if atom.end - atom.start == span.end - span.start && is_kin() {
            kin += 1;
            alone += usize::from(atom.before & gap::LINE != 0);
        }
    }
    row.add(capped(kin));
    row.add(capped(alone));
    row.add(capped(odd));
    row.flag(has_address);
    let near = scene.near(span.start);
    row.add(near.iter().map(|mark| mark.class).min().unwrap_or(99));
    row.add(capped(near.iter().filter(|mark| mark.class <= PASS).count()));
}

/// `192.168.0.1`, `nas.lan`, `somebody@example.org`
pub(super) fn is_address(word: &str) -> bool {
    if word.contains('@') {
        return true;
    }
    let mut parts = 0;
    word.split('.').all(|part| {
        parts += 1;
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    }) && parts > 1
}

/// Where a word has letters, digits and signs.
fn form(word: &str) -> u64 {
    let class = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' => 1,
        b'0'..=b'9' => 1,
        0x80.. => 2,
        _ => u64::from(byte),
    };
    let has = |belongs: fn(&u8) -> bool| u64::from(word.as_bytes().iter().any(belongs));
    let head = has(u8::is_ascii_digit) << 1 | has(u8::is_ascii_alphabetic);
    word.bytes().fold(head, |sum, byte| (sum ^ class(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// Words inside of a value of several.
fn add_inside(scene: &Scene<'_>, span: &Span, row: &mut Row) {
    let (mut stops, mut others, mut low, mut known) = (0_usize, 0_usize, 0_usize, 0_usize);
    for atom in &scene.atoms[span.first..=span.last] {
        let word = &scene.text[atom.start..atom.end];
        stops += usize::from(atom.classes & class::STOP != 0);
        known += usize::from(atom.classes != 0);
        others += usize::from(!word.chars().all(char::is_alphabetic));
        low += usize::from(word.chars().next().is_some_and(char::is_lowercase));
    }
    row.add(capped(stops));
    row.add(capped(known));
    row.add(capped(others));
    row.add(capped(low));
    let is_in = |mark: &Mark| mark.start < span.end && mark.end > span.start;
    row.flag(scene.near(span.start).iter().any(is_in));
}

/// What the words of the line are about.
fn add_around(scene: &Scene<'_>, span: &Span, line: &Line, row: &mut Row) {
    let from = line.first.max(span.first.saturating_sub(AROUND_ATOMS));
    let to = line.last.min(span.last + 1 + AROUND_ATOMS);
    let mut counts = [0_u8; 16];
    let mut plain = 0_usize;
    for (number, atom) in scene.atoms[from..to].iter().enumerate() {
        if (span.first..=span.last).contains(&(from + number)) {
            continue;
        }
        for (bit, sum) in counts.iter_mut().enumerate() {
            *sum += u8::from(atom.classes >> bit & 1 != 0);
        }
        plain += usize::from(scene.text[atom.start..atom.end].bytes().all(|byte| byte.is_ascii_lowercase()));
    }
    for count in counts {
        row.add(count);
    }
    row.add(capped(plain));
    row.add(line.code);
    row.add(line.bars);
    row.flag(line.is_prompt);
    row.flag(line.is_comment);
    row.add(capped(line.last - line.first));
    // A table's head, or the line that names what stands below.
    let above = span.line.checked_sub(1).map(|number| &scene.lines[number]);
    row.flag(above.is_some_and(|above| above.ends_open));
    row.add(above.map_or(0, |above| capped(above.last - above.first)));
    row.flag(above.is_some_and(|above| above.bars > 0 && above.bars == line.bars));
    row.flag(
        scene.text[line.start..span.start]
            .trim_start_matches([' ', '\t', '>', '-', '*', '`', '"'])
            .is_empty(),
    );
    row.flag(scene.text[span.end..line.end].trim_end_matches([' ', '`', '"', '.', '*', '\r']).is_empty());
}

/// Where the words stand that say secret.
fn add_marks(scene: &Scene<'_>, span: &Span, line: &Line, row: &mut Row) {
    let near = scene.near(span.start);
    let outside = |mark: &&Mark| mark.end <= span.start || mark.start >= span.end;
    let before =
        near.iter().filter(outside).filter(|mark| mark.end <= span.start).max_by_key(|mark| mark.end);
    let after =
        near.iter().filter(outside).filter(|mark| mark.start >= span.end).min_by_key(|mark| mark.start);
    add_mark(scene, before, before.map_or(0, |mark| mark.end), span.start, row);
    // The best one of this line before the value: a weak one may stand between.
    let strong = near
        .iter()
        .filter(|mark| mark.end <= span.start && mark.start >= line.start)
        .min_by_key(|mark| mark.class);
    row.add(strong.map_or(99, |mark| mark.class));
    row.add(strong.map_or(255, |mark| capped((span.start - mark.end) / 2)));
    let strongest = near.iter().filter(|mark| mark.end <= span.start).min_by_key(|mark| mark.class);
    row.add(strongest.map_or(99, |mark| mark.class));
    row.add(strongest.map_or(255, |mark| capped((span.start - mark.end) / 2)));
    row.add(after.filter(|mark| mark.start < line.end).map_or(99, |mark| mark.class));
    row.add(
        after.filter(|mark| mark.start < line.end).map_or(255, |mark| capped((mark.start - span.end) / 2)),
    );
    row.add(capped(near.len()));
    // The name of the line: `name: value`.
    let head = &scene.atoms.get(line.first);
    let named = near.iter().filter(|mark| mark.start >= line.start && mark.end <= span.start);
    row.flag(
        head.is_some_and(|head| named.clone().any(|mark| mark.start <= head.end && mark.end >= head.start)),
    );
}

fn add_mark(scene: &Scene<'_>, mark: Option<&Mark>, from: usize, to: usize, row: &mut Row) {
    let Some(mark) = mark else {
        for value in [99, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0] {
            row.add(value);
        }
        return;
    };
    let between = &scene.text[from..to];
    row.add(mark.class);
    row.add(capped(between.len()));
    row.add(capped(between.split_whitespace().count()));
    row.add(capped(between.matches('\n').count()));
    row.add(capped(between.matches(". ").count() + between.matches(['?', ';', '}']).count()));
    let joint = between.trim_start_matches(['"', '\'', '*', '`', ' ', ')', ']']);
    row.add(match joint.bytes().next() {
        None => 0,
        Some(b'=') => 1,
        Some(b':') => 2,
        Some(b'-' | b'>') => 3,
        Some(b',' | b'|' | b'\t') => 4,
        Some(b'\n') => 5,
        Some(b'(' | b'[' | b'{') => 6,
        Some(b'.' | b';' | b'?' | b'!') => 7,
        Some(byte) if byte.is_ascii_alphanumeric() => 8,
        _ => 9,
    });
    // What follows the word: `is`, or `reset`.
    let next = scene
        .atoms
        .get(scene.atoms.partition_point(|atom| atom.start < mark.end))
        .filter(|atom| atom.start < to);
    let classes = next.map_or(0, |it| it.classes);
    row.flag(classes & class::LINK != 0);
    row.flag(classes & class::HEAD != 0);
    row.flag(classes & (class::EVENT | class::DUTY) != 0);
    row.flag(classes & (class::PLACE | class::STOP) != 0);
    row.flag(mark.is_part);
    row.flag(mark.is_plural);
}
