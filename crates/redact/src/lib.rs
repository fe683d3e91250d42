//! The redact seam: whatever is written passes here first, and leaves without keys and passwords.
//!
//! One pass looks for hints (`hints`); most texts have none that matters and leave as they are. A hint is looked into
//! where it stands, by rows of public rules or by hand; nothing is compiled, and no look goes further than some
//! kilobytes. What stands near a telling word is then weighed by the `judge`, which takes more and leaves some. What is
//! found is replaced by a `mark`.

mod address;
mod byte_list;
mod codes;
mod command;
mod encoded;
mod escaped;
mod fields;
mod foreign;
#[path = "../rules/gitleaks.rs"]
mod gitleaks;
mod header;
mod hint_words;
mod hints;
mod joint;
mod judge;
#[path = "../rules/judge_leaves.rs"]
mod judge_leaves;
#[path = "../rules/judge.rs"]
mod judge_table;
mod known;
mod label;
#[path = "../rules/letters.rs"]
mod letters;
mod mark;
mod named;
mod names;
mod own_shapes;
mod phrase_words;
mod pieces;
mod placeholder;
mod printed;
mod private_key;
mod prose;
mod rare_joint;
mod reading;
mod sentence;
mod shape;
mod structured;
mod table;
mod talk;
mod transcript_line;
mod tree;
mod value;
mod vendor;

use std::borrow::Cow;

use serde_json::Value;

use encoded::Run;
use hints::What;
use known::Known;
use names::Says;
use shape::{Reach, Shape, reach};

#[doc(hidden)]
pub use judge::{FEATURES, Judged, SORTS};
pub use known::{learn, learn_env, learn_env_from};
pub use mark::{KEY_BYTES, Key, OPENING, use_key_from};
pub use mark::{at_end as mark_at_end, at_start as mark_at_start, of as mark};
pub use transcript_line::line;

/// Which rules mask: raised whenever they find more, so that what was stored before is masked again.
pub const RULES_VERSION: u32 = 9;

/// How deep base64 inside of base64 is looked into.
const DEPTH_MAX: usize = throughline_domain::limits::ENCODED_DEPTH_MAX;
/// How often a text is looked through again in which something was found.
const PASSES_MAX: usize = 8;
/// Least of a well-known form that is taken for one when the text ends in the middle of it.
const CUT_BYTES_MIN: usize = 12;

const CUT_BYTES_MAX: usize = 256;
/// Longest mark.
const MARK_BYTES_MAX: usize = 64;
/// How much of a long one is judged.
const SAMPLE_BYTES_MAX: usize = 256;

/// A secret in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Found {
    start: usize,
    end: usize,
    kind: &'static str,
    /// Known by its own form, not by a name before it: of two that overlap this one says the kind.
    is_certain: bool,
}

/// A text without secrets; borrowed when there were none.
///
/// ```
/// use throughline_redact::text;
/// assert_eq!(text("token=abcdefgh12345678"), "token=[masked:token]");
/// assert_eq!(text("commit 3a12c3e0f9d84c7b8a6e5d4c3b2a190817263544"), "commit 3a12c3e0f9d84c7b8a6e5d4c3b2a190817263544");
/// ```
#[must_use]
pub fn text(text: &str) -> Cow<'_, str> {
    masked_for_good(text, &mut Known::default(), true)
}

/// The same; what is found is known afterwards, in all texts.
fn clean<'t>(text: &'t str, known: &mut Known) -> Cow<'t, str> {
    masked_for_good(text, known, false)
}

fn masked_for_good<'t>(text: &'t str, known: &mut Known, is_only: bool) -> Cow<'t, str> {
    let found = all_in(text, known, is_only);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut clean = masked(text, &found);
    // A mark may end what hid another secret: until there is none, so that masking again changes nothing.
    for _ in 0..PASSES_MAX {
        let found = all_in(&clean, known, is_only);
        if found.is_empty() {
            break;
        }
        clean = masked(&clean, &found);
    }
    Cow::Owned(clean)
}

/// The same for what a session said or saw; what is found is known from then on, in every text of this process.
#[must_use]
pub fn session_text(text: &str) -> Cow<'_, str> {
    let mut known = Known::default();
    let clean = masked_for_good(text, &mut known, true);
    known.values().for_each(|(value, kind)| known::learn_as(value, kind));
    clean
}

/// The secrets of a text, in order: what has to be gone where it was stored before.
#[must_use]
pub fn secrets(text: &str) -> Vec<&str> {
    all_in(text, &mut Known::default(), true).iter().map(|found| &text[found.start..found.end]).collect()
}

/// What the rules find, what is known already, and both once more wherever they stand: a value that is named on the ninth
/// line stands on the second, too.
fn all_in(text: &str, known: &mut Known, is_only: bool) -> Vec<Found> {
    let mut found = secrets_in(text, 0);
    known::each_learnt(text, &mut found);
    let all: usize = found.iter().map(|secret| secret.end - secret.start).sum();
    for secret in &found {
        // Where nothing else stands it stands nowhere else.
        if !is_only || text.len() - all.min(text.len()) >= known::VALUE_BYTES_MIN {
            known.add(&text[secret.start..secret.end], secret.kind, is_only.then_some(text));
        }
    }
    known.each_in(text, &mut found);
    in_order(text, found)
}

/// Masks every string inside a JSON value. A key that says secret counts as a name before its value.
pub fn json(value: &mut Value) {
    let mut known = Known::default();
    structured::mask(value, &mut known);
    if !known.is_empty() {
        // What a later field named stands in an earlier one.
        structured::mask(value, &mut known);
    }
}

fn masked(text: &str, found: &[Found]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for secret in found {
        clean.push_str(&text[at..secret.start]);
        clean.push_str(&mark::of(secret.kind, &text[secret.start..secret.end]));
        at = secret.end;
    }
    clean.push_str(&text[at..]);
    clean
}

/// Every secret, in order, none inside of another.
fn secrets_in(text: &str, depth: usize) -> Vec<Found> {
    let mut found = Vec::new();
    look_at_hints(text, &mut found);
    look_at_encoded(text, depth, &mut found);
    in_order(text, found)
}

/// What is found in what is encoded.
fn look_at_encoded(text: &str, depth: usize, found: &mut Vec<Found>) {
    if depth < DEPTH_MAX {
        encoded::each_run(text, |start, end, run| {
            let kind = match run {
                Run::Text(decoded) => secrets_in(decoded, depth + 1).first().map(|inner| inner.kind),
                // The number of a public key.
                Run::Prefixed if text[..start].ends_with("\"n\":\"") => None,
                Run::Prefixed if text[..start].ends_with("\"n\": \"") => None,
                Run::Prefixed => Some("token"),
            };
            found.extend(kind.map(|kind| Found { start, end, kind, is_certain: false }));
        });
        escaped::each_address(text, |start, end| {
            let is_none = value::is_placeholder(&text[start..end]);
            found.extend((!is_none).then_some(Found { start, end, kind: "url-password", is_certain: false }));
        });
        escaped::each_row(text, |start, end, decoded| {
            let kind = secrets_in(decoded, depth + 1).first().map(|inner| inner.kind);
            found.extend(kind.map(|kind| Found { start, end, kind, is_certain: false }));
        });
    }
}

/// In order, on whole characters, none in a mark or inside of another.
fn in_order(text: &str, mut found: Vec<Found>) -> Vec<Found> {
    if !found.is_empty() && text.contains(OPENING) {
        found.retain(|secret| !is_in_mark(text, secret.start));
    }
    for secret in &mut found {
        // Every look goes by bytes.
        secret.start = text.floor_char_boundary(secret.start);
        secret.end = text.ceil_char_boundary(secret.end);
    }
    if found.len() > 1 {
        found.sort_by_key(|secret| (secret.start, secret.end));
        found = merged(&found);
    }
    found
}

/// Whether a place is inside of a mark: the kind that it names is no name of a value. Only a whole mark is one, or
/// whoever wrote its beginning would hide what follows.
fn is_in_mark(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let floor = at.saturating_sub(MARK_BYTES_MAX);
    let Some(opening) = memchr::memmem::rfind(&bytes[floor..at], OPENING.as_bytes()) else { return false };
    let kind = floor + opening + OPENING.len();
    let is_kind = |byte: &&u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || **byte == b'-';
    let kind_end = kind + bytes[kind..].iter().take(MARK_BYTES_MAX).take_while(is_kind).count();
    match bytes[kind_end..] {
        [b']', ..] => at < kind_end,
        [b':', ref digits @ ..] if digits.len() > 4 && digits[4] == b']' => {
            digits[..4].iter().all(u8::is_ascii_hexdigit) && at <= kind_end + 5
        }
        _ => false,
    }
}

/// Overlapping ones become one, which the certain one names.
fn merged(found: &[Found]) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::with_capacity(found.len());
    for secret in found {
        match all.last_mut() {
            Some(last) if secret.start < last.end => {
                last.end = last.end.max(secret.end);
                if secret.is_certain && !last.is_certain {
                    last.kind = secret.kind;
                    last.is_certain = true;
                }
            }
            _ => all.push(*secret),
        }
    }
    all
}

fn look_at_hints(text: &str, found: &mut Vec<Found>) {
    let marks = look_by_rules(text, found);
    judge::judge(text, marks, found);
}

/// What the judge is asked about, and what the rules alone find, with whether it may be left: for training it.
#[doc(hidden)]
#[must_use]
pub fn judged(text: &str) -> (Vec<Judged>, Vec<(usize, usize, bool)>) {
    let mut found = Vec::new();
    let marks = look_by_rules(text, &mut found);
    let judged = judge::all(text, marks, &found);
    let mut rules: Vec<_> = found.iter().map(|it| (it.start, it.end, judge::is_guess(it))).collect();
    found.clear();
    look_at_encoded(text, 0, &mut found);
    rules.extend(found.iter().map(|it| (it.start, it.end, false)));
    (judged, rules)
}

/// What the rules find, and the words that the judge looks around.
fn look_by_rules(text: &str, found: &mut Vec<Found>) -> judge::Marks {
    let bytes = text.as_bytes();
    let mut marks = judge::Marks::default();
    let mut name_end = 0;
    let mut budget = table::Budget::of(text);
    hints::each(bytes, |hint, at| {
        let end = at + hint.text.len();
        // Inside of what is known already nothing new is to be learnt, and looking again would cost the square.
        if found.last().is_some_and(|last: &Found| last.is_certain && at > last.start && end <= last.end) {
            return;
        }
        if !matches!(hint.what, What::Name) || end > name_end {
            marks.note(text, hint.what, (at, end));
        }
        match hint.what {
            What::Shapes(first, count) => {
                found.extend(shape_at(text, &gitleaks::SHAPES[first..first + count], at));
            }
            What::OwnShapes(first, count) => {
                found.extend(shape_at(text, &own_shapes::SHAPES[first..first + count], at));
            }
            What::Vendors(first, count) => {
                found.extend(vendor::vendor_at(text, &gitleaks::VENDORS[first..first + count], at, end));
            }
            What::OwnVendors(first, count) => {
                found.extend(vendor::vendor_at(text, &own_shapes::VENDORS[first..first + count], at, end));
            }
            // A name may hold several words; it is looked at once.
            What::Name if end <= name_end => {}
            What::Name => {
                let (secret, (start, looked_at)) = named::secret_at(text, at, end, found);
                table::each_of(text, (start, looked_at), None, &mut budget, found);
                fields::each_of(text, (start, looked_at), None, &mut budget, found);
                printed::each_below(text, start, looked_at, found);
                if let Some(said) = named::says_at(text, start, looked_at) {
                    talk::each_of_many(text, (start, looked_at), said, found);
                    tree::each_of(text, start, looked_at, said, found);
                }
                // The kind that a mark says names nothing.
                found.extend(secret.filter(|_| !is_in_mark(text, at)));
                name_end = looked_at;
            }
            What::ShortName if begins_word(bytes, at) => {
                named::foreign_at(text, at, end - 1, Says::Password, found);
                table::each_of(text, (at, end - 1), Some(Says::Password), &mut budget, found);
                fields::each_of(text, (at, end - 1), Some(Says::Password), &mut budget, found);
            }
            What::ShortName if let Some(start) = named::short_name(bytes, at) => {
                named::foreign_at(text, start, end - 1, Says::Password, found);
            }
            // Short ones stand in other words, and in what is encoded.
            What::Foreign(_) if !foreign::stands_alone(bytes, at, end) => {}
            What::Foreign(said) => {
                named::foreign_at(text, at, end, said, found);
                table::each_of(text, (at, end), Some(said), &mut budget, found);
                fields::each_of(text, (at, end), Some(said), &mut budget, found);
            }
            What::Otp if begins_word(bytes, at) => {
                table::each_of(text, (at, end), Some(Says::Token), &mut budget, found);
                found.extend(codes::seed_after(text, end));
            }
            What::ShortName => {}
            What::Command => command::each_at(text, hint.text, at, found),
            what => look_at(what, text, at, found, end),
        }
    });
    marks
}

/// A hint that needs nothing but its place.
fn look_at(what: What, text: &str, at: usize, found: &mut Vec<Found>, end: usize) {
    let bytes = text.as_bytes();
    match what {
        What::Codes => codes::each_after(text, end, found),
        What::SeedPhrase => {
            found.extend(codes::phrase_after(text, end));
            codes::each_numbered_word(text, at, found);
        }
        What::Words => found.extend(sentence::words_after(text, at, end)),
        What::OtpSeed => found.extend(codes::seed_after(text, end)),
        What::LoginTalk => {
            sentence::each_on_line(text, at, found);
            talk::each_pair_around(text, at, found);
        }
        What::UserPass if begins_word(bytes, at) => found.extend(prose::pass_below_user(text, at, end)),
        What::UserPass => {}
        What::SmtpLogin => found.extend(header::smtp_answer(text, end)),
        What::Relay => found.extend(address::in_relay_file(text, end)),
        What::Pin if begins_word(bytes, at) => found.extend(codes::pin_after(text, end)),
        What::Pin => {}
        What::KeyOfList => {
            found.extend(tree::key_of_list(text, end));
            table::each_key_below(text, end, found);
        }
        What::Generated => found.extend(tree::generated(text, end)),
        What::PasswordFile => found.extend(address::in_password_file(text, at, end)),
        What::EncodedKey => found.extend(encoded::key_at(text, at)),
        What::UserBefore => found.extend(address::before(text, at)),
        What::UserSlash => found.extend(address::behind_slash(text, end)),
        What::Address => found.extend(address::secret_at(text, at)),
        What::Parameter => found.extend(address::parameter_at(text, at, end)),
        What::Authorization => found.extend(header::authorization_at(text, end)),
        What::Bearer => found.extend(header::bearer_at(text, at, end)),
        What::Cookie => header::cookies_at(text, end, found),
        What::CookieFlag => header::cookies_in(text, end - 1, found),
        What::Link => address::each_in_link(text, end, found),
        What::PrivateKey => {
            let block = private_key::block_at(text, at, end, found);
            found.extend(block);
        }
        What::KeyBody => private_key::body_at(text, at, found),
        What::KeyNumbers => private_key::each_number(text, at, found),
        What::Jwt => found.extend(encoded::jwt_at(text, at)),
        What::Shapes(..)
        | What::OwnShapes(..)
        | What::Vendors(..)
        | What::OwnVendors(..)
        | What::Name
        | What::ShortName
        | What::Otp
        | What::Foreign(_)
        | What::Soft
        | What::Command => {}
    }
}

/// A secret of a known form around its keyword.
fn shape_at(text: &str, shapes: &[Shape], keyword: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let found = shapes.iter().filter_map(|shape| {
        let start = keyword.checked_sub(shape.back)?;
        if shape.at_word && !begins_word(bytes, start) {
            return None;
        }
        let end = match reach(shape.pattern, bytes, start) {
            Reach::Whole(end) => end,
            Reach::Cut if bytes.len() >= keyword + shape.keyword.len() + CUT_BYTES_MIN => bytes.len(),
            Reach::Cut | Reach::No => cut_short(shape, bytes, start, keyword)?,
        };
        // Its beginning tells.
        let secret = text.get(start..end.min(start + SAMPLE_BYTES_MAX))?;
        if value::entropy_tenths(secret) < shape.entropy_tenths.max(22) || value::holds_placeholder(secret) {
            return None;
        }
        let behind = &secret[shape.keyword.len().min(secret.len())..];
        // Words that somebody joined have no digits, or signs between them.
        let may_be_words =
            !behind.bytes().any(|byte| byte.is_ascii_digit()) || behind.contains(['-', '_', '.']);
        if shape.back == 0 && may_be_words && value::is_wordy(behind) {
            return None;
        }
        // A longer one of the kind must not keep its end.
        let rest = bytes[end..].iter();
        let end =
            end + rest.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
        Some(Found { start, end, kind: shape.kind, is_certain: true })
    });
    // Of two rows that match, the longer one knows the whole of it.
    found.max_by_key(|secret| secret.end)
}

/// The end of one that somebody shortened with dots.
fn cut_short(shape: &Shape, bytes: &[u8], start: usize, keyword: usize) -> Option<usize> {
    let rest = bytes[start..].iter().take(CUT_BYTES_MAX);
    let run = rest.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
    let end = start + run;
    let is_shortened = bytes[end..].starts_with("…".as_bytes()) || bytes[end..].starts_with(b"...");
    let is_enough = end >= keyword + shape.keyword.len() + CUT_BYTES_MIN;
    (is_shortened && is_enough && reach(shape.pattern, &bytes[..end], start) == Reach::Cut).then_some(end)
}

/// Whether a word can begin here.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| bytes[before]) else { return true };
    !(before.is_ascii_alphanumeric() || before == b'_') || ends_escape(bytes, at)
}

/// Whether an escape ends before a place: `\n` and `\u0022` of JSON, `%20` of an address, a colour of a terminal.
fn ends_escape(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[at.saturating_sub(12)..at];
    let hex = |digits: usize| {
        before.len() > digits && before[before.len() - digits..].iter().all(u8::is_ascii_hexdigit)
    };
    match before {
        [.., b'\\', b'n' | b't' | b'r'] => true,
        [.., b'%', _, _] | [.., b'\\', b'x', _, _] => hex(2),
        [.., b'\\', b'u', _, _, _, _] => hex(4),
        [.., b'm' | b'K'] => {
            let numbers = before[..before.len() - 1].iter().rev();
            let count = numbers.take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
            before[..before.len() - 1 - count].ends_with(b"[")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
