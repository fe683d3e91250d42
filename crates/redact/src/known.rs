//! Known values: what was a secret once is one wherever it stands again, and however it is encoded there.
//!
//! They are found by four bytes of each at every place where a step of the search can meet them: a text is stepped
//! through, not read, and a value that is learnt later costs no more than its own entries.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

use super::value::{self, Standing};
use super::{Found, OPENING, encoded, names};

/// Shorter ones stand in other words, too.
pub(super) const VALUE_BYTES_MIN: usize = 12;
const VALUE_BYTES_MAX: usize = 1_024;
/// More are not remembered.
const VALUES_MAX: usize = 256;
/// A line of a private key that stands alone.
const KEY_LINE_BYTES_MIN: usize = 32;
/// Bytes by which a form is found.
const GRAM_BYTES: usize = 4;
/// Steps of the search: every form covers one of them whole.
const STEP_BYTES: usize = VALUE_BYTES_MIN - GRAM_BYTES + 1;
/// Bits of the filter.
const FILTER_BITS: usize = 1 << 16;

/// Values, and how each of them may be written.
#[derive(Debug, Default)]
pub(super) struct Known {
    values: Vec<(String, &'static str)>,
    forms: Vec<Form>,
    /// Forms by four of their bytes, and where in the form these stand.
    by_gram: HashMap<u32, Vec<(usize, usize)>>,
    filter: Vec<u64>,
}

#[derive(Debug)]
struct Form {
    bytes: Vec<u8>,
    kind: &'static str,
    /// Base64 of more than the value: all of it goes.
    is_part: bool,
}

impl Known {
    pub(super) fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.values.iter().map(|(value, kind)| (value.as_str(), *kind))
    }

    /// Remembers a value, if it is one that could not stand anywhere by chance.
    ///
    /// With a text, only the forms that may stand in this one.
    pub(super) fn add(&mut self, value: &str, kind: &'static str, text: Option<&str>) {
        if kind == "private-key" {
            let lines =
                value.split(|letter: char| !(letter.is_ascii_alphanumeric() || "+/=".contains(letter)));
            lines
                .filter(|line| line.len() >= KEY_LINE_BYTES_MIN)
                .for_each(|line| self.add_one(line, kind, text));
        } else if is_telling(value) {
            self.add_one(value, kind, text);
        }
    }

    fn add_one(&mut self, value: &str, kind: &'static str, text: Option<&str>) {
        if self.values.len() >= VALUES_MAX || self.values.iter().any(|(it, _)| it == value) {
            return;
        }
        self.values.push((value.to_owned(), kind));
        let first = self.forms.len();
        for bytes in forms_of(value, text) {
            self.add_form(Form { bytes, kind, is_part: false }, first);
        }
        for offset in 0..3 {
            for is_url_safe in [false, true] {
                let bytes = encoded::inside(value.as_bytes(), offset, is_url_safe);
                self.add_form(Form { bytes, kind, is_part: true }, first);
            }
        }
    }

    /// `first` is the first form of the same value: no two need to be alike.
    fn add_form(&mut self, form: Form, first: usize) {
        if form.bytes.len() < VALUE_BYTES_MIN || self.forms[first..].iter().any(|it| it.bytes == form.bytes) {
            return;
        }
        self.filter.resize(FILTER_BITS / 64, 0);
        let number = self.forms.len();
        for (offset, bytes) in form.bytes.windows(GRAM_BYTES).take(STEP_BYTES).enumerate() {
            let gram = gram_of(bytes);
            let bit = bit_of(gram);
            self.filter[bit / 64] |= 1 << (bit % 64);
            self.by_gram.entry(gram).or_default().push((number, offset));
        }
        self.forms.push(form);
    }

    /// Every value in a text.
    pub(super) fn each_in(&self, text: &str, found: &mut Vec<Found>) {
        if self.is_empty() {
            return;
        }
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(window) = bytes.get(at..at + GRAM_BYTES) {
            let gram = gram_of(window);
            let bit = bit_of(gram);
            if self.filter[bit / 64] >> (bit % 64) & 1 == 1 {
                let places = self.by_gram.get(&gram).into_iter().flatten();
                found.extend(places.filter_map(|(form, offset)| self.form_at(bytes, at, *form, *offset)));
            }
            at += STEP_BYTES;
        }
    }

    fn form_at(&self, bytes: &[u8], at: usize, form: usize, offset: usize) -> Option<Found> {
        let start = at.checked_sub(offset)?;
        let form = &self.forms[form];
        let end = start + form.bytes.len();
        let (start, end) = match bytes.get(start..end)? == form.bytes {
            true if form.is_part => encoded::run_around(bytes, start, end),
            true => (start, end),
            false => return None,
        };
        Some(Found { start, end, kind: form.kind, is_certain: false })
    }
}

fn gram_of(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |gram, byte| gram << 8 | u32::from(*byte))
}

fn bit_of(gram: u32) -> usize {
    (gram.wrapping_mul(0x9E37_79B1) >> 16) as usize % FILTER_BITS
}

/// Whether a value is long, and no word, path or example.
fn is_telling(value: &str) -> bool {
    let has = |belongs: fn(&u8) -> bool| value.as_bytes().iter().any(belongs);
    let is_one_word = !value.contains(char::is_whitespace);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let is_odd = value.contains(['!', '#', '$', '%', '^', '&', '*', '+', '?', '@']);
    (VALUE_BYTES_MIN..=VALUE_BYTES_MAX).contains(&value.len())
        && !value.contains(['\n', '\r'])
        && !value.contains(OPENING)
        && (is_mixed || is_odd || !value::is_wordy(value))
        && (is_one_word || value.split(' ').count() >= 3)
        && value::entropy_tenths(value) >= 25
        && !value::is_path(value)
        && !value::is_placeholder(value)
}

/// The value as it is, and in the escapes of addresses, JSON, code and pages: those whose sign stands in the text that is
/// looked at, if it is only one.
fn forms_of(value: &str, text: Option<&str>) -> Vec<Vec<u8>> {
    let may_hold =
        |sign: &str| text.is_none_or(|text| memchr::memmem::find(text.as_bytes(), sign.as_bytes()).is_some());
    let mut forms = vec![value.as_bytes().to_vec()];
    let each_byte = |letter: char, sign: &str, is_upper: bool| {
        let mut form = String::new();
        for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
            let _ =
                if is_upper { write!(form, "{sign}{byte:02X}") } else { write!(form, "{sign}{byte:02x}") };
        }
        form
    };
    let mut add = |write: &dyn Fn(char) -> String| {
        forms.push(value.chars().map(write).collect::<String>().into_bytes());
    };
    if text.is_none_or(|text| text.len() > 3 * value.len()) {
        add(&|letter| each_byte(letter, "", true));
        add(&|letter| each_byte(letter, "", false));
    }
    let is_safe = |letter: char| letter.is_ascii_alphanumeric() || "-_.~".contains(letter);
    if may_hold("%") {
        for is_upper in [true, false] {
            add(&|letter| {
                if is_safe(letter) { letter.to_string() } else { each_byte(letter, "%", is_upper) }
            });
            add(&|letter| each_byte(letter, "%", is_upper));
        }
    }
    if may_hold("=") && !value.is_ascii() || value.contains('=') {
        add(&|letter| {
            if letter.is_ascii() && letter != '=' { letter.to_string() } else { each_byte(letter, "=", true) }
        });
    }
    if may_hold("\\") {
        add(&|letter| if "\"\\'".contains(letter) { format!("\\{letter}") } else { letter.to_string() });
        add(&|letter| if "\"\\/".contains(letter) { format!("\\{letter}") } else { letter.to_string() });
        add(&|letter| match letter {
            '"' | '\\' => format!("\\{letter}"),
            _ if letter.is_ascii() && !"<>&'".contains(letter) => letter.to_string(),
            _ => format!("\\u{:04x}", u32::from(letter)),
        });
        add(&|letter| each_byte(letter, "\\x", false));
        add(&|letter| {
            if letter.is_ascii_alphanumeric() { letter.to_string() } else { each_byte(letter, "\\x", false) }
        });
        add(&|letter| format!("\\u{:04x}", u32::from(letter)));
        add(&|letter| format!("\\u{:04X}", u32::from(letter)));
    }
    if may_hold("&") {
        for (quote, apostrophe) in [("&quot;", "&#39;"), ("&#34;", "&#x27;"), ("&quot;", "&apos;")] {
            add(&|letter| match letter {
                '&' => "&amp;".to_owned(),
                '<' => "&lt;".to_owned(),
                '>' => "&gt;".to_owned(),
                '"' => quote.to_owned(),
                '\'' => apostrophe.to_owned(),
                _ => letter.to_string(),
            });
        }
        add(&|letter| format!("&#{};", u32::from(letter)));
        add(&|letter| format!("&#x{:x};", u32::from(letter)));
    }
    forms
}

/// What this process has learnt.
static LEARNT: RwLock<Option<Known>> = RwLock::new(None);
static LEARNT_COUNT: AtomicUsize = AtomicUsize::new(0);

/// Where values come from that are asked for when the first text is masked.
type Source = fn() -> Vec<(String, String)>;
static SOURCE: RwLock<Option<Source>> = RwLock::new(None);
static HAS_SOURCE: AtomicBool = AtomicBool::new(false);

/// From now on this value is masked wherever it stands. It is held in memory, and never stored.
pub fn learn(value: &str) {
    learn_as(value, "secret");
}

pub(super) fn learn_as(value: &str, kind: &'static str) {
    let mut learnt = LEARNT.write().unwrap_or_else(PoisonError::into_inner);
    let known = learnt.get_or_insert_default();
    known.add(value, kind, None);
    LEARNT_COUNT.store(known.forms.len(), Ordering::Release);
}

/// Learns the values of an environment, or of a file of settings, whose names tell.
pub fn learn_env(pairs: impl IntoIterator<Item = (String, String)>) {
    for (name, value) in pairs.into_iter().filter(|(name, value)| !is_folder(name, value)) {
        let is_secret = match names::says(&name) {
            Some(names::Says::Password | names::Says::Pass) => {
                value::is_password(&value, Standing::Plain) || value::is_pass_sentence(&value)
            }
            Some(names::Says::Token) => value::is_token(&value, Standing::Plain),
            Some(names::Says::Key) => value::is_unnamed_key(&value, Standing::Plain),
            Some(names::Says::Phrase) => true,
            // An address with a password in it.
            None => {
                super::secrets(&value).into_iter().for_each(learn);
                false
            }
        };
        if is_secret {
            learn(&value);
        }
    }
}

/// A shell's own name for the folder that it is in, which many take for a password's.
fn is_folder(name: &str, value: &str) -> bool {
    matches!(name, "PWD" | "OLDPWD") && value.starts_with('/')
}

/// Names where an environment is read that is learnt before the first text is masked: whoever masks none reads none.
pub fn learn_env_from(source: Source) {
    *SOURCE.write().unwrap_or_else(PoisonError::into_inner) = Some(source);
    HAS_SOURCE.store(true, Ordering::Release);
}

/// Every learnt value in a text.
pub(super) fn each_learnt(text: &str, found: &mut Vec<Found>) {
    if HAS_SOURCE.swap(false, Ordering::AcqRel) {
        let source = SOURCE.write().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(source) = source {
            learn_env(source());
        }
    }
    if LEARNT_COUNT.load(Ordering::Acquire) > 0 {
        let learnt = LEARNT.read().unwrap_or_else(PoisonError::into_inner);
        learnt.iter().for_each(|known| known.each_in(text, found));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_that_a_shell_is_in_is_no_password() {
        let folder = "/srv/App-fAA9XR/project";
        let pairs = [("PWD", folder), ("OLDPWD", folder), ("APP_PWD", "Tr0ub4dor&3x")];
        learn_env(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let text = format!("{folder}/rows.rs Tr0ub4dor&3x");
        let masked = crate::text(&text);
        assert!(masked.starts_with(folder) && !masked.contains("Tr0ub4dor"), "{masked}");
    }
}
