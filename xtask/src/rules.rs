//! Masking rules: gitleaks' published configuration, brought into the form that the store matches without compiling.
//!
//! `cargo xtask rules <gitleaks.toml> <version>` writes `crates/redact/rules/gitleaks.rs`. Each regex is expanded into
//! flat rows: bytes and classes with counts, no groups, no choice. What cannot be expanded is listed at the file's end.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::{Outcome, say};

const TARGET: &str = "crates/redact/rules/gitleaks.rs";
/// Most rows that one rule may become.
const ROWS_MAX: usize = 16;
/// A run without an upper bound ends here.
const RUN_MAX: u32 = 1_024;
/// Longest kind that stands in a mark.
const KIND_BYTES_MAX: usize = 32;
/// A keyword is found by three of its bytes.
const KEYWORD_BYTES_MIN: usize = 3;

/// Between a vendor's name and a value: the rest of the name, quotes, an operator, quotes.
const NAME_BEGINS: &str = r"[\w.-]{0,50}?(?:";
const NAME_ENDS: [&str; 2] = [
    r#")(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}"#,
    r#")(?:[ \t\w.-]{0,20})[\s'"]{0,3})(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}"#,
];
/// What has to follow a secret there. Here anything may follow that could not belong to it.
const TERMINATORS: [&str; 5] = [
    r#"(?:[\x60'"\s;]|\\[nr]|$)"#,
    r#"(?:[\x60'"\s;]|\\[nr]|$|\b)"#,
    r"(?:[^\w-]|\z)",
    r"(?:[^a-zA-Z0-9+/]|\z)",
    r#"(?:$|[\\'"\x60\s<),])"#,
];
/// What has to stand before a secret in some rules, and is no part of it.
const BEGINNINGS: [&str; 3] = [r#"(?:^|[\\'"\x60\s>=:(,)])"#, r"(?:https?://)?", r"https://[a-z0-9]+\."];

/// Rules that are left out, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("adobe-client-id", "names a client, opens nothing"),
    ("asana-client-id", "names a client, opens nothing"),
    ("bitbucket-client-id", "names a client, opens nothing"),
    ("curl-auth-header", "headers are read by hand, with every program"),
    ("curl-auth-user", "read by hand: only the password is masked"),
    ("discord-client-id", "names a client, opens nothing"),
    ("facebook-access-token", "a number and words: no keyword beside it"),
    ("flutterwave-public-key", "public"),
    ("generic-api-key", "named values are judged by hand"),
    ("hashicorp-tf-password", "named values are judged by hand"),
    ("jwt", "read by hand"),
    ("jwt-base64", "whatever is base64 is decoded and looked through"),
    ("kubernetes-secret-yaml", "named values are judged by hand, base64 is decoded"),
    ("linkedin-client-id", "names a client, opens nothing"),
    ("lob-pub-api-key", "public"),
    ("looker-client-id", "names a client, opens nothing"),
    ("mailgun-pub-key", "public"),
    ("messagebird-client-id", "names a client, opens nothing"),
    ("nuget-config-password", "named values are judged by hand"),
    ("plaid-client-id", "names a client, opens nothing"),
    ("private-key", "read by hand: also cut off, also inside of JSON"),
    ("sendbird-access-id", "names a client, opens nothing"),
    ("sumologic-access-id", "names a client, opens nothing"),
    ("twilio-api-key", "its keyword has two letters: a row of ours"),
];

/// One item of a flat pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Item {
    bytes: u128,
    min: u32,
    max: u32,
}

/// A flat pattern, and whether a word has to begin there.
#[derive(Clone, Default)]
struct Row {
    at_word: bool,
    items: Vec<Item>,
}

#[derive(Default)]
struct Written {
    shapes: BTreeSet<(String, String)>,
    vendors: BTreeSet<(String, String)>,
    left_out: Vec<String>,
    rules: usize,
}

/// Reads gitleaks' file and writes ours.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<Outcome, String> {
    let [path, version] = arguments else {
        return Err(
            "give gitleaks' config/gitleaks.toml and its version, such as `v8.30.0 (commit …)`".to_owned()
        );
    };
    let text = std::fs::read_to_string(path).map_err(|error| format!("could not read {path}: {error}"))?;
    let document: toml::Table = text.parse().map_err(|error| format!("{path} is no TOML: {error}"))?;
    let rules = document.get("rules").and_then(|rules| rules.as_array());
    let rules = rules.ok_or_else(|| format!("{path} has no `rules`"))?;
    let mut written = Written::default();
    for rule in rules {
        take(rule, &mut written);
    }
    let target = root.join(TARGET);
    std::fs::write(&target, render(&written, version))
        .map_err(|error| format!("could not write {}: {error}", target.display()))?;
    say(&format!(
        "{TARGET}: {} rules, {} shapes, {} vendors' values, {} left out",
        written.rules,
        written.shapes.len(),
        written.vendors.len(),
        written.left_out.len()
    ));
    Ok(Outcome::Good)
}

fn take(rule: &toml::Value, written: &mut Written) {
    let word = |key: &str| rule.get(key).and_then(|value| value.as_str());
    let (Some(id), Some(regex)) = (word("id"), word("regex")) else {
        let id = word("id").unwrap_or("?");
        written.left_out.push(format!("{id}: no pattern, only a path"));
        return;
    };
    if let Some((_, why)) = LEFT_OUT.iter().find(|(left_out, _)| *left_out == id) {
        written.left_out.push(format!("{id}: {why}"));
        return;
    }
    let entropy = rule.get("entropy").map_or(0.0, |entropy| {
        entropy
            .as_float()
            .or_else(|| entropy.as_integer().map(|whole| f64::from(i32::try_from(whole).unwrap_or(0))))
            .unwrap_or(0.0)
    });
    let mut taken = 0;
    for part in parts(regex) {
        let rows = match part {
            Part::Vendor { names, value } => {
                let keywords = rule.get("keywords").and_then(|list| list.as_array());
                let keywords = keywords.into_iter().flatten().filter_map(|keyword| keyword.as_str());
                let names = plain_names(&names).unwrap_or_else(|| keywords.map(str::to_owned).collect());
                vendor_rows(id, entropy, &names, &value, written)
            }
            Part::Shape(pattern) => shape_rows(id, entropy, &pattern, written),
        };
        match rows {
            Ok(rows) => taken += rows,
            Err(why) => written.left_out.push(format!("{id}: {why}")),
        }
    }
    written.rules += usize::from(taken > 0);
}

enum Part {
    Vendor { names: String, value: String },
    Shape(String),
}

/// A rule's regex, taken apart where it is a vendor's name before a value.
fn parts(regex: &str) -> Vec<Part> {
    let Some((end_at, end)) = NAME_ENDS.iter().find_map(|end| Some((regex.find(end)?, *end))) else {
        return vec![Part::Shape(regex.to_owned())];
    };
    let Some(begin_at) = regex[..end_at].rfind(NAME_BEGINS) else {
        return vec![Part::Shape(regex.to_owned())];
    };
    let names = regex[begin_at + NAME_BEGINS.len()..end_at].to_owned();
    let flags = if regex.starts_with("(?i)") { "(?i)" } else { "" };
    let rest = &regex[end_at + end.len()..];
    let (value, more) = match rest.split_once(TERMINATORS[0]) {
        Some((value, more)) => (value, more.strip_prefix('|')),
        None => (rest, None),
    };
    let mut parts = vec![Part::Vendor { names, value: format!("{flags}{value}") }];
    parts.extend(more.map(|more| Part::Shape(more.to_owned())));
    parts
}

/// A vendor's names, in small letters; `None` where one is more than letters.
fn plain_names(regex: &str) -> Option<BTreeSet<String>> {
    let rows = expand(&parse(&format!("(?i){regex}")).ok()?).ok()?;
    let name = |row: &Row| -> Option<String> {
        let plain = |item: &Item| folded(item.bytes).filter(|_| (item.min, item.max) == (1, 1));
        row.items.iter().map(|item| plain(item).map(char::from)).collect()
    };
    rows.iter().map(name).collect()
}

fn vendor_rows(
    id: &str,
    entropy: f64,
    names: &BTreeSet<String>,
    value: &str,
    written: &mut Written,
) -> Result<usize, String> {
    if names.iter().any(|name| name.len() < KEYWORD_BYTES_MIN) {
        return Err("its name is no plain word".to_owned());
    }
    let rows = expand(&parse(value)?)?;
    for row in &rows {
        let pattern = spelt(&row.items);
        for name in names {
            let line = format!(
                "Vendor {{ kind: \"{}\", entropy_tenths: {}, name: \"{name}\", pattern: {} }}",
                kind_of(id),
                tenths(entropy),
                quoted(&pattern)
            );
            written.vendors.insert((name.clone(), line));
        }
    }
    Ok(rows.len() * names.len())
}

fn shape_rows(id: &str, entropy: f64, regex: &str, written: &mut Written) -> Result<usize, String> {
    let mut regex = regex;
    for beginning in BEGINNINGS {
        regex = regex.strip_prefix(beginning).unwrap_or(regex);
    }
    for terminator in TERMINATORS {
        regex = regex.strip_suffix(terminator).unwrap_or(regex);
    }
    let rows = expand(&parse(regex)?)?;
    let mut lines = Vec::new();
    for row in &rows {
        let Some((keyword, back)) = keyword_in(&row.items) else {
            written.left_out.push(format!("{id}: no keyword at a fixed place in {}", spelt(&row.items)));
            continue;
        };
        let pattern = spelt(&row.items);
        let line = format!(
            "Shape {{ kind: \"{}\", entropy_tenths: {}, keyword: {}, back: {back}, at_word: {}, pattern: {} }}",
            kind_of(id),
            tenths(entropy),
            quoted(&keyword),
            row.at_word,
            quoted(&pattern)
        );
        lines.push((keyword, line));
    }
    let count = lines.len();
    written.shapes.extend(lines);
    Ok(count)
}

fn parse(regex: &str) -> Result<Hir, String> {
    let parsed = ParserBuilder::new().unicode(false).utf8(false).build().parse(regex);
    parsed.map_err(|error| format!("does not parse ({})", error.to_string().replace('\n', " ")))
}

/// Every way to match, each as one row of items.
fn expand(hir: &Hir) -> Result<Vec<Row>, String> {
    let rows = match hir.kind() {
        HirKind::Empty => vec![Row::default()],
        HirKind::Literal(literal) => {
            vec![Row { at_word: false, items: literal.0.iter().map(|byte| one(1 << byte)).collect() }]
        }
        HirKind::Class(Class::Bytes(class)) => {
            let bytes = class.ranges().iter().flat_map(|range| range.start()..=range.end());
            vec![Row {
                at_word: false,
                items: vec![one(bytes.filter(u8::is_ascii).fold(0, |all, byte| all | 1 << byte))],
            }]
        }
        HirKind::Class(Class::Unicode(_)) => return Err("a class of Unicode".to_owned()),
        HirKind::Look(Look::WordAscii) => vec![Row { at_word: true, items: Vec::new() }],
        HirKind::Look(_) => return Err("an anchor in the middle".to_owned()),
        HirKind::Repetition(repetition) => {
            repeated(&expand(&repetition.sub)?, repetition.min, repetition.max)?
        }
        HirKind::Capture(capture) => expand(&capture.sub)?,
        HirKind::Concat(all) => {
            let mut rows = vec![Row::default()];
            for part in all {
                rows = joined(&rows, &expand(part)?);
                if rows.len() > ROWS_MAX {
                    return Err("too many ways to match".to_owned());
                }
            }
            rows
        }
        HirKind::Alternation(all) => {
            let mut rows = Vec::new();
            for part in all {
                rows.extend(expand(part)?);
            }
            rows
        }
    };
    if rows.len() > ROWS_MAX { Err("too many ways to match".to_owned()) } else { Ok(rows) }
}

fn repeated(rows: &[Row], min: u32, max: Option<u32>) -> Result<Vec<Row>, String> {
    if let [row] = rows
        && let [item] = row.items.as_slice()
        && (item.min, item.max) == (1, 1)
    {
        let max = max.unwrap_or(RUN_MAX);
        return Ok(vec![Row { at_word: row.at_word, items: vec![Item { min, max, ..*item }] }]);
    }
    let max = max.filter(|max| *max <= 4).ok_or("a long repetition of a group")?;
    let mut all = Vec::new();
    // The longest way first.
    for count in (min..=max).rev() {
        let mut ways = vec![Row::default()];
        for _ in 0..count {
            ways = joined(&ways, rows);
        }
        all.extend(ways);
    }
    Ok(all)
}

fn joined(before: &[Row], after: &[Row]) -> Vec<Row> {
    let join = |first: &Row, then: &Row| {
        let begins = first.items.is_empty();
        let at_word = first.at_word || (begins && then.at_word);
        Row { at_word, items: first.items.iter().chain(&then.items).copied().collect() }
    };
    before.iter().flat_map(|first| after.iter().map(move |then| join(first, then))).collect()
}

fn one(bytes: u128) -> Item {
    Item { bytes, min: 1, max: 1 }
}

/// The byte that a class stands for in any case; `None` when it has more than one letter.
fn folded(bytes: u128) -> Option<u8> {
    let low = u8::try_from(bytes.trailing_zeros()).ok().filter(u8::is_ascii)?;
    let both = 1 << low.to_ascii_lowercase() | 1 << low.to_ascii_uppercase();
    (bytes & !both == 0).then_some(low.to_ascii_lowercase())
}

/// The longest plain text at a fixed distance from the beginning, and that distance.
fn keyword_in(items: &[Item]) -> Option<(String, u32)> {
    let mut best: Option<(String, u32)> = None;
    let mut current = (String::new(), 0);
    let mut offset = 0;
    for item in items {
        if item.min != item.max {
            break;
        }
        match folded(item.bytes) {
            Some(byte) if item.min == 1 => {
                if current.0.is_empty() {
                    current.1 = offset;
                }
                current.0.push(char::from(byte));
            }
            _ => current.0.clear(),
        }
        if best.as_ref().is_none_or(|(text, _)| current.0.len() > text.len()) {
            best = Some(current.clone());
        }
        offset += item.min;
    }
    best.filter(|(text, _)| text.len() >= KEYWORD_BYTES_MIN)
}

/// The items as a pattern: bytes, `[classes]`, `{counts}`.
fn spelt(items: &[Item]) -> String {
    let mut text = String::new();
    for item in items {
        if item.bytes.is_power_of_two() {
            spell_byte(&mut text, item.bytes.trailing_zeros());
        } else {
            spell_class(&mut text, item.bytes);
        }
        match (item.min, item.max) {
            (1, 1) => {}
            (min, max) if min == max => drop(write!(text, "{{{min}}}")),
            (min, max) => drop(write!(text, "{{{min},{max}}}")),
        }
    }
    text
}

fn spell_class(text: &mut String, bytes: u128) {
    text.push('[');
    let mut at = 0;
    while at < 128 {
        if bytes >> at & 1 == 0 {
            at += 1;
            continue;
        }
        let length = (bytes >> at).trailing_ones();
        spell_byte(text, at);
        if length > 2 {
            text.push('-');
        }
        if length > 1 {
            spell_byte(text, at + length - 1);
        }
        at += length;
    }
    text.push(']');
}

fn spell_byte(text: &mut String, byte: u32) {
    let letter = char::from(u8::try_from(byte).unwrap_or(b'?'));
    if matches!(letter, '[' | ']' | '{' | '}' | '\\' | '-') {
        text.push('\\');
    }
    text.push(letter);
}

fn quoted(text: &str) -> String {
    format!("{text:?}")
}

fn tenths(entropy: f64) -> u32 {
    format!("{:.0}", entropy * 10.0).parse().unwrap_or(0)
}

/// The rule's name, cut at a word where it is long.
fn kind_of(id: &str) -> &str {
    if id.len() <= KIND_BYTES_MAX {
        return id;
    }
    let end = id[..=KIND_BYTES_MAX].rfind('-').unwrap_or(KIND_BYTES_MAX);
    &id[..end]
}

fn render(written: &Written, version: &str) -> String {
    let mut text = format!(
        "//! Forms of secrets, from gitleaks' published rules: {} of them, as flat patterns.\n\
         //!\n\
         //! Written by `cargo xtask rules` from `config/gitleaks.toml` of <https://github.com/gitleaks/gitleaks>,\n\
         //! {version}. The rules are under the MIT licence, Copyright (c) 2019 Zachary Rice: see\n\
         //! `LICENSE-gitleaks` beside this file.\n\n\
         use super::shape::{{Shape, Vendor}};\n\n\
         /// What is known by its own form.\n\
         #[rustfmt::skip]\n\
         pub(super) static SHAPES: [Shape; {}] = [\n",
        written.rules,
        written.shapes.len()
    );
    for (_, line) in &written.shapes {
        let _ = writeln!(text, "    {line},");
    }
    let _ = write!(
        text,
        "];\n\n/// What is known by a vendor's name before it.\n#[rustfmt::skip]\n\
         pub(super) static VENDORS: [Vendor; {}] = [\n",
        written.vendors.len()
    );
    for (_, line) in &written.vendors {
        let _ = writeln!(text, "    {line},");
    }
    text.push_str("];\n\n// Left out:\n");
    for line in &written.left_out {
        let _ = writeln!(text, "// - {line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelt_rows(regex: &str) -> Vec<String> {
        expand(&parse(regex).unwrap()).unwrap().iter().map(|row| spelt(&row.items)).collect()
    }

    #[test]
    fn a_regex_becomes_flat_rows() {
        assert_eq!(spelt_rows("ghp_[0-9a-zA-Z]{36}"), ["ghp_[0-9A-Za-z]{36}"]);
        assert_eq!(
            spelt_rows(r"\b(dapi[a-f0-9]{32}(?:-\d)?)"),
            [r"dapi[0-9a-f]{32}\-[0-9]", "dapi[0-9a-f]{32}"]
        );
        assert_eq!(spelt_rows("(?i)ab-c+"), [r"[Aa][Bb]\-[Cc]{1,1024}"]);
        assert!(expand(&parse("(?:ab){3,9}").unwrap()).is_err());
    }

    #[test]
    fn a_keyword_stands_at_a_fixed_place() {
        let found = |regex: &str| keyword_in(&expand(&parse(regex).unwrap()).unwrap()[0].items);
        assert_eq!(found("(?i)npm_[a-z]{36}"), Some(("npm_".to_owned(), 0)));
        assert_eq!(found(r"[a-z0-9]{14}\.atlasv1\."), Some((".atlasv1.".to_owned(), 14)));
        assert_eq!(found("[a-z]{2,9}_key"), None);
    }

    #[test]
    fn a_vendors_name_is_told_from_its_value() {
        let regex = format!("(?i){NAME_BEGINS}adobe{}([a-f0-9]{{32}}){}", NAME_ENDS[0], TERMINATORS[0]);
        let parts = parts(&regex);
        let [Part::Vendor { names, value }] = parts.as_slice() else { panic!("{}", parts.len()) };
        assert_eq!((names.as_str(), value.as_str()), ("adobe", "(?i)([a-f0-9]{32})"));
    }
}
