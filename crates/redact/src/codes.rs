//! Codes: the list that a service shows once, the words that are a wallet, the seed of a second factor.

use super::Found;

/// How far behind its title the list begins, and how long it is.
const TITLE_BYTES_MAX: usize = 100;
const LIST_BYTES_MAX: usize = 1_200;
/// So many groups are one code.
const GROUPS_MIN: usize = 5;
/// Words between two codes: `✗ used`, `and`.
const OTHERS_MAX: usize = 4;
/// A phrase has twelve words or more; one may be cut off.
const PHRASE_WORDS_MIN: usize = 11;
const PHRASE_WORDS_MAX: usize = 27;
/// A phrase begins no further behind the word that says so.
const PHRASE_START_MAX: usize = 160;
/// How far away numbered words stand, and how many there are.
const NUMBERED_BYTES_MAX: usize = 420;
const NUMBERED_WORDS_MIN: usize = 6;
/// How far behind its word a PIN stands.
const PIN_BYTES_MAX: usize = 64;
/// How far behind the word that says second factor its seed stands.
const SEED_BYTES_MAX: usize = 160;
/// Letters of base32 that are a seed.
const SEED_LETTERS_MIN: usize = 16;

/// The codes behind `recovery codes`.
pub(super) fn each_after(text: &str, from: usize, found: &mut Vec<Found>) {
    let before = found.len();
    each_behind(text, from, found);
    if found.len() == before {
        each_below(text, from, found);
    }
}

/// Lines of codes and nothing else, some lines below their title.
fn each_below(text: &str, from: usize, found: &mut Vec<Found>) {
    let end = text.floor_char_boundary(from + LIST_BYTES_MAX);
    let Some(title) = text[from..end].find('\n') else { return };
    let mut codes = Vec::new();
    let mut others = 0;
    for line in text[from + title + 1..end].split('\n') {
        let at = line.as_ptr() as usize - text.as_ptr() as usize;
        if line.trim().is_empty() {
            continue;
        }
        if let Some((start, end)) = groups_on(line) {
            codes.push((at + start, at + end));
            continue;
        }
        match codes_on(line) {
            Some(places) => codes.extend(places.into_iter().map(|(start, end)| (at + start, at + end))),
            None if codes.is_empty() && others < OTHERS_MAX => others += 1,
            None => break,
        }
    }
    if codes.len() > 1 || codes.iter().any(|(start, end)| end - start >= 20) {
        let as_found = |(start, end)| Found { start, end, kind: "recovery-code", is_certain: false };
        found.extend(codes.into_iter().map(as_found));
    }
}

/// One long code in groups of one length, as the only thing on a line: `EsTu gUVW AWVR GyUT`.
fn groups_on(line: &str) -> Option<(usize, usize)> {
    let row = line.trim_matches([' ', '\t', '\r', '`', '*', '>', '"']);
    let groups = row.split(' ');
    let first = groups.clone().next()?.len();
    let is_group =
        |group: &str| group.len() == first && group.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_drawn = row.bytes().any(|byte| byte.is_ascii_digit())
        || row.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    let is_one =
        (4..=6).contains(&first) && groups.clone().count() >= GROUPS_MIN && groups.clone().all(is_group);
    let start = row.as_ptr() as usize - line.as_ptr() as usize;
    (is_one && is_drawn).then_some((start, start + row.len()))
}

/// The codes of a line on which nothing else stands but their numbers and signs.
fn codes_on(line: &str) -> Option<Vec<(usize, usize)>> {
    let mut codes = Vec::new();
    // A group that waits for the next one: `9517 5718`.
    let mut open: Option<(usize, usize)> = None;
    for raw in line.split([' ', '\t', ',', ';', '|', '\r', '/']).filter(|word| !word.is_empty()) {
        let word = raw.trim_matches(|letter: char| !letter.is_ascii_alphanumeric());
        let start = word.as_ptr() as usize - line.as_ptr() as usize;
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let is_number = digits == word.len() && digits < 3;
        if word.is_empty() || is_number || matches!(word, "x" | "X" | "used" | "br" | "li" | "td" | "code") {
            continue;
        }
        if is_code(word) {
            codes.push((start, start + word.len()));
            open = None;
            continue;
        }
        let is_group = (3..=6).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_group || digits == 0 {
            return None;
        }
        match open {
            Some((from, to)) if to + 1 == start => {
                codes.push((from, start + word.len()));
                open = None;
            }
            Some(_) => return None,
            None => open = Some((start, start + word.len())),
        }
    }
    (open.is_none() && !codes.is_empty()).then_some(codes)
}

/// The codes that follow their title.
fn each_behind(text: &str, from: usize, found: &mut Vec<Found>) {
    let limit = text.floor_char_boundary(from + TITLE_BYTES_MAX);
    let Some(start) = text[from..limit].find([':', '=', '\n', '[', '：', '→', '>']).map(|at| from + at)
    else {
        return;
    };
    let end = text.floor_char_boundary(start + LIST_BYTES_MAX);
    let is_close = text[start..].starts_with([':', '=', '：', '→']);
    // `→ 1076 1281, 5695 3765`
    let line = text[start..end].split('\n').next().unwrap_or_default();
    let line = line.trim_start_matches([':', '=', '：', '→', '>', ' ']);
    if is_close && let Some(places) = codes_on(line).filter(|places| places.len() > 1) {
        let at = line.as_ptr() as usize - text.as_ptr() as usize;
        let as_found =
            |(from, to)| Found { start: at + from, end: at + to, kind: "recovery-code", is_certain: false };
        found.extend(places.into_iter().map(as_found));
        return;
    }
    let mut codes = Vec::new();
    let mut others = 0;
    let mut at = start;
    let mut is_after_blank_line = false;
    for word in text[start..end].split_inclusive([' ', '\n', ',', '\t', '[', ';', '|']) {
        let code = word.trim_matches([
            ' ', '\n', ',', '\t', '\r', '"', '\'', '`', '[', ']', '.', ';', '|', '(', ')', '*', ':', '=',
            '：', '{', '}', '<', '>', '→',
        ]);
        let place = at + word.find(code).unwrap_or(0);
        at += word.len();
        if word == "\n" && !codes.is_empty() {
            is_after_blank_line = true;
        }
        if code.is_empty() || matches!(code, "-" | "•" | "✗" | "✓") || code.parse::<u8>().is_ok() {
            continue;
        }
        if !is_code(code) {
            others += 1;
            if others > OTHERS_MAX || is_after_blank_line || (codes.is_empty() && !is_close && others > 1) {
                break;
            }
            continue;
        }
        others = 0;
        codes.push(Found { start: place, end: place + code.len(), kind: "recovery-code", is_certain: false });
    }
    // One number may be anything.
    let is_list = codes.len() > 1 || codes.iter().any(|it| it.end - it.start >= 9 || is_close);
    found.extend(codes.into_iter().filter(|_| is_list));
}

/// Digits between letters, digits alone, or groups of the same length.
fn is_code(word: &str) -> bool {
    // `XXXXX-XXXXX` shows what one looks like.
    if word.bytes().all(|byte| matches!(byte, b'x' | b'X' | b'-')) {
        return false;
    }
    let groups: Vec<&str> = word.split('-').collect();
    let is_group = |group: &&str| {
        (3..=20).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    // `518-27-403`, as a thing that is paired shows it; `4417-90823`.
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if is_number && (lengths == [3, 2, 3] || lengths == [4, 3, 4] || lengths == [4, 5]) {
        return true;
    }
    if !groups.iter().all(is_group) || !(5..=96).contains(&word.len()) {
        return false;
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let is_even = groups.iter().all(|group| group.len() == groups[0].len());
    let is_date = groups.len() == 3 && groups[0].len() == 4 && groups[1].len() == 2;
    match groups.len() {
        _ if is_date => false,
        1 if letters == 0 => (6..=10).contains(&digits),
        1 => digits > 0 && (word.len() >= 8 || digits > 1) && word.len() <= 32,
        2..=8 if is_even => digits > 0 || groups.len() > 3 || groups[0].len() == 5 || groups[0].len() == 4,
        _ => false,
    }
}

/// The words of a wallet, one by one, where they are numbered: before or behind what says so.
pub(super) fn each_numbered_word(text: &str, at: usize, found: &mut Vec<Found>) {
    let start = text.ceil_char_boundary(at.saturating_sub(NUMBERED_BYTES_MAX));
    let end = text.floor_char_boundary(at + NUMBERED_BYTES_MAX);
    let mut words: Vec<(usize, usize)> = Vec::new();
    let mut number = None;
    for raw in text[start..end].split_whitespace() {
        let place = raw.as_ptr() as usize - text.as_ptr() as usize;
        let digits = raw.bytes().take_while(u8::is_ascii_digit).count();
        let behind = raw[digits..].trim_start_matches(['.', ')', ':', '#', '-']);
        let is_marked = digits > 0 && behind.len() + digits < raw.len();
        if is_marked {
            number = raw[..digits].parse::<usize>().ok();
        }
        let word = if is_marked { behind } else { raw }.trim_end_matches([',', ';', '|']);
        if word.is_empty() {
            continue;
        }
        let is_word = (3..=8).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
        if number == Some(words.len() + 1) && is_word {
            let from = place + raw.find(word).unwrap_or(0);
            words.push((from, from + word.len()));
        } else if words.len() >= NUMBERED_WORDS_MIN {
            break;
        } else {
            words.clear();
        }
        number = None;
    }
    if words.len() >= NUMBERED_WORDS_MIN {
        let as_found = |(start, end)| Found { start, end, kind: "seed-phrase", is_certain: true };
        found.extend(words.into_iter().map(as_found));
    }
}

/// The words of a phrase behind what says that one follows.
pub(super) fn phrase_after(text: &str, from: usize) -> Option<Found> {
    let end = text.floor_char_boundary(from + LIST_BYTES_MAX);
    let rest = text.get(from..end)?;
    let (mut first, mut last, mut count) = (0, 0, 0);
    let mut at = 0;
    let is_between = |letter: char| {
        letter.is_whitespace() || ",.;:)\"'`[]|#-–•>+\\".contains(letter) || letter.is_ascii_digit()
    };
    while at < rest.len() {
        let word = &rest[at..];
        let skipped = word.find(|letter: char| !is_between(letter)).unwrap_or(word.len());
        let gap = &word[..skipped];
        let word = &word[skipped..];
        let length = word.find(is_between).unwrap_or(word.len());
        let piece = &word[..length];
        let start = at + skipped;
        at = start + length.max(1);
        while !rest.is_char_boundary(at.min(rest.len())) {
            at += 1;
        }
        let is_word = (3..=8).contains(&piece.len())
            && piece.bytes().all(|byte| byte.is_ascii_lowercase())
            && !matches!(
                piece,
                "the"
                    | "and"
                    | "for"
                    | "are"
                    | "was"
                    | "not"
                    | "but"
                    | "has"
                    | "your"
                    | "from"
                    | "und"
                    | "der"
                    | "die"
            );
        let is_row = count == 0 || gap.len() <= 24 && !gap.contains("\n\n");
        if is_word && is_row && count < PHRASE_WORDS_MAX {
            first = if count == 0 { start } else { first };
            last = start + length;
            count += 1;
        } else if count >= PHRASE_WORDS_MIN || start > PHRASE_START_MAX {
            break;
        } else {
            count = usize::from(is_word);
            (first, last) = (start, start + length);
        }
    }
    (count >= PHRASE_WORDS_MIN).then_some(Found {
        start: from + first,
        end: from + last,
        kind: "seed-phrase",
        is_certain: true,
    })
}

/// The seed of a second factor, in base32, maybe in groups.
pub(super) fn seed_after(text: &str, from: usize) -> Option<Found> {
    let limit = text.floor_char_boundary(from + SEED_BYTES_MAX);
    let bytes = text.get(from..limit)?.as_bytes();
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || (b'2'..=b'7').contains(byte);
    let mut at = 0;
    while at < bytes.len() {
        let run = bytes[at..].iter().take_while(|byte| is_letter(byte)).count();
        let (mut end, mut letters) = (at + run, run);
        // Groups of four, each behind one blank.
        while letters > 0 && run == 4 && matches!(bytes.get(end), Some(b' ' | b'-')) {
            let group = bytes[end + 1..].iter().take_while(|byte| is_letter(byte)).count();
            if group == 0 || group > 4 || end - at >= 5 && bytes[end - 5] != bytes[at + 4] {
                break;
            }
            end += 1 + group;
            letters += group;
        }
        let seed = &bytes[at..end];
        let is_one_kind =
            !(seed.iter().any(u8::is_ascii_uppercase) && seed.iter().any(u8::is_ascii_lowercase));
        let is_whole = !matches!(bytes.get(end), Some(b'0' | b'1' | b'8' | b'9' | b'_' | b'+' | b'/'));
        let is_grouped = letters < seed.len();
        let has_digit = seed.iter().any(u8::is_ascii_digit);
        let is_drawn = has_digit && (seed.iter().any(u8::is_ascii_uppercase) || is_grouped || letters >= 26);
        if letters >= SEED_LETTERS_MIN && is_one_kind && is_whole && is_drawn {
            return Some(Found { start: from + at, end: from + end, kind: "otp-seed", is_certain: false });
        }
        at += run.max(1);
    }
    None
}

/// The number behind a word that says PIN.
pub(super) fn pin_after(text: &str, from: usize) -> Option<Found> {
    let limit = text.floor_char_boundary(from + PIN_BYTES_MAX);
    let line = text.get(from..limit)?.split('\n').next()?;
    // `código postal`
    if line.contains("postal") {
        return None;
    }
    let mut is_linked = line.starts_with([' ', ':', '=', '"']);
    for word in line.split([' ', '=', ':', '：']).take(10) {
        let pin = word.trim_matches(['"', '\'', '`', '*', '(', ')', ',', '.', ';', '!', '「', '」']);
        let digits = pin.bytes().filter(u8::is_ascii_digit).count();
        let is_number = pin.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let is_date = pin.matches('-').count() == 2 && pin.len() == 10;
        if is_linked && is_number && (4..=12).contains(&digits) && !is_date {
            let start = pin.as_ptr() as usize - text.as_ptr() as usize;
            return Some(Found { start, end: start + pin.len(), kind: "pin", is_certain: false });
        }
        let is_link = matches!(
            word,
            "" | "is"
                | "ist"
                | "lautet"
                | "est"
                | "es"
                | "now"
                | "was"
                | "code"
                | "-"
                | "–"
                | "number"
                | "übrigens"
                | "still"
                | "noch"
                | "immer"
                | "jetzt"
                | "again"
                | "weiterhin"
                | "bleibt"
                | "ahora"
                | "è"
                | "é"
                | "är"
                | "to"
                | "auf"
        );
        is_linked = is_link || (is_linked && pin.is_empty());
        if word.ends_with(['.', ';', '?']) {
            return None;
        }
    }
    None
}
