//! Public: forms that are never a secret, whatever is said around them.

/// What ids begin with that services print wherever they can.
const IDS: [&str; 36] = [
    "age1",
    "GHSA-",
    "GA1.",
    "toolu_",
    "msg_",
    "req_",
    "evt_",
    "pi_",
    "ch_",
    "cus_",
    "sub_",
    "price_",
    "prod_",
    "acct_",
    "txn_",
    "run_",
    "call_",
    "resp_",
    "chatcmpl-",
    "vpc-",
    "sg-",
    "subnet-",
    "ami-",
    "eni-",
    "vol-",
    "snap-",
    "igw-",
    "rtb-",
    "arn:",
    "urn:",
    "pk_live_",
    "pk_test_",
    "RWQ",
    "AAAAC3NzaC1lZDI1NTE5",
    "AAAAB3NzaC1yc2E",
    "AAAAE2VjZHNhLXNoYTI",
];
/// Least bytes behind such a beginning.
const ID_BYTES_MIN: usize = 8;
/// Types of fields.
const TYPES: [&str; 18] = [
    "string", "str", "text", "varchar", "char", "nvarchar", "int", "integer", "bigint", "boolean", "bool",
    "uuid", "blob", "bytea", "optional", "option", "nullable", "serial",
];
/// What is said of things that have a name, right behind it.
const MISSED: [&str; 6] = [
    " not found",
    " already exists",
    " does not exist",
    " is missing",
    " was deleted",
    " could not be found",
];
/// Words before the name of a thing, and before a number that counts.
const OF: [&str; 27] = [
    "for", "of", "about", "von", "vom", "für", "fürs", "pour", "de", "du", "del", "di", "para", "voor",
    "för", "till", "dla", "do", "для", "от", "host", "server", "branch", "service", "sku", "named", "called",
];
const NUMBERED: [&str; 16] = [
    "line", "lines", "page", "pages", "row", "rows", "port", "ports", "zeile", "zeilen", "seite", "step",
    "issue", "section", "chapter", "version",
];
/// How far back the word before, a call's bracket and an address are looked for.
const WORD_BYTES_MAX: usize = 24;
const CALL_BYTES_MAX: usize = 160;
const ADDRESS_BYTES_MAX: usize = 200;
/// Longest placeholder between angle brackets, on either side of a word in it.
const TAG_BYTES_MAX: usize = 40;
/// What the names of machines end with.
const ZONES: [&str; 16] = [
    "lan", "local", "internal", "intranet", "corp", "home", "com", "org", "net", "io", "dev", "app", "de",
    "example", "test", "arpa",
];

/// Whether a value is an id, a place in memory, a machine's name, or a field with its name before it.
pub(super) fn is_public(value: &str) -> bool {
    value.contains('\t')
        || is_said(value)
        || is_digest(value)
        || is_plain_encoded(value)
        || value.contains(" -")
        || is_id(value)
        || is_column(value)
        || is_pointer(value)
        || is_machine(value)
        || is_entry(value)
        || is_id_field(value)
        || is_below_variable(value)
}

/// What tells that a digest follows.
const DIGESTS: [&str; 6] = ["hmac-sha256:", "hmac-sha512:", "sha256:", "sha512:", "sha1:", "md5:"];

fn is_digest(value: &str) -> bool {
    let begins = |it: &&str| value.get(..it.len()).is_some_and(|head| head.eq_ignore_ascii_case(it));
    DIGESTS.iter().any(begins)
}

/// Base64 of some words: what people try an encoder with.
fn is_plain_encoded(value: &str) -> bool {
    let is_letters = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' ');
    value.len() >= 12
        && crate::encoded::decode(value.trim_end_matches('=').as_bytes())
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .is_some_and(|text| is_letters(text.trim_end()) && text.split_whitespace().count() == 2)
}

/// `Kennwort: [ausgeblendet]`, and what a program says when nobody can be asked.
pub(super) fn is_left_out(text: &str, start: usize, end: usize) -> bool {
    let is_words = text[start..end].chars().all(|letter| letter.is_alphabetic() || letter == ' ');
    let is_bracketed = text[..start].ends_with('[') && text[end..].starts_with(']');
    is_words && is_bracketed || text[end..].starts_with(" prompts disabled")
}

/// What is said of a password, and chosen for none: `vergessen`, `expired`.
fn is_said(value: &str) -> bool {
    value.chars().all(char::is_lowercase) && super::words::classes(value) & super::words::class::EVENT != 0
}

/// Whether a value stands where only a name does: `<some access token>`, `secrets "some-name" not found`.
pub(super) fn is_named_only(text: &str, start: usize, end: usize) -> bool {
    let behind = text[end..].trim_start_matches(['"', '\'', '`', '>']);
    let is_missed = MISSED.iter().any(|it| behind.starts_with(it));
    if is_missed || is_of_thing(text, start, end) || is_argument(text, start, end) {
        return true;
    }
    let floor = text.ceil_char_boundary(start.saturating_sub(TAG_BYTES_MAX));
    let ceiling = text.floor_char_boundary((end + TAG_BYTES_MAX).min(text.len()));
    let opening = text[floor..start].rfind(['<', '>', '\n']).map(|at| floor + at);
    let closing = text[end..ceiling].find(['<', '>', '\n']).map(|at| end + at);
    let (Some(opening), Some(closing)) = (opening, closing) else { return false };
    let inside = &text[opening + 1..closing];
    let is_words = inside.contains(' ') && !inside.contains(['=', '"', '\'', '/', ':', '!']);
    text[opening..].starts_with('<')
        && text[closing..].starts_with('>')
        && is_words
        && inside.starts_with(|letter: char| letter.is_alphabetic())
}

/// `the password for zigbee2mqtt`, `lines 1052-1098`, `HTTP/1.1" 200 8841`: the word before says what it is.
fn is_of_thing(text: &str, start: usize, end: usize) -> bool {
    let before = &text[text.ceil_char_boundary(start.saturating_sub(WORD_BYTES_MAX))..start];
    let is_number = !text[start..end].bytes().any(|byte| byte.is_ascii_alphabetic());
    if is_number && before.trim_end_matches(' ').ends_with('"') && before.contains("HTTP/") {
        return true;
    }
    // `MAX_OUTPUT_TOKENS=113096`
    let name = before.trim_end_matches(['=', ':', ' ', '"', '\'']);
    if is_number && name.len() < before.len() && name.len() >= 6 && name.is_char_boundary(name.len() - 6) {
        let is_count = name[name.len() - 6..].eq_ignore_ascii_case("tokens");
        if is_count {
            return true;
        }
    }
    // `agentId: a33b9fecbf8c82329`
    let is_hex = text[start..end].bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if is_hex
        && name.len() < before.len()
        && (name.ends_with("Id") || name.ends_with("_id") || name.ends_with("ID"))
    {
        return true;
    }
    let Some(before) = before.strip_suffix(' ') else { return false };
    let word = before.rsplit([' ', '\n', '(', '*']).next().unwrap_or_default();
    let words: &[&str] = if is_number { &NUMBERED } else { &OF };
    words.iter().any(|it| word.eq_ignore_ascii_case(it))
}

/// `expect(state, file1AfterStash)`: in a call only what stands between quotes is a value.
fn is_argument(text: &str, start: usize, end: usize) -> bool {
    let value = &text[start..end];
    let is_name = value.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    if !is_name || !text[end..].starts_with([')', ',']) || !text[..start].ends_with([' ', '(', '&']) {
        return false;
    }
    let floor = text.ceil_char_boundary(start.saturating_sub(CALL_BYTES_MAX));
    let mut depth = 0;
    for (at, letter) in text[floor..start].char_indices().rev() {
        match letter {
            '\n' => return false,
            ')' => depth += 1,
            '(' if depth > 0 => depth -= 1,
            '(' => return text[..floor + at].ends_with(|it: char| it.is_ascii_alphanumeric() || it == '_'),
            _ => {}
        }
    }
    false
}

/// Whether a value stands in the query of an address. The rules know what of it is a secret: the judge adds nothing there.
pub(super) fn is_in_address(text: &str, start: usize) -> bool {
    let floor = text.ceil_char_boundary(start.saturating_sub(ADDRESS_BYTES_MAX));
    let word = text[floor..start].rsplit(|letter: char| letter.is_whitespace() || letter == '"').next();
    word.is_some_and(|word| word.starts_with("http") && word.contains("://") && word.contains('?'))
}

fn is_id(value: &str) -> bool {
    IDS.iter().any(|it| value.len() >= it.len() + ID_BYTES_MIN && value.starts_with(it))
        && !value.contains(['!', '?', '&', '%', '*', ' '])
}

/// `String? @db.Text`, `VARCHAR(255) NOT NULL`: the type of a field.
fn is_column(value: &str) -> bool {
    let kind = value.split([' ', '(', '?', '[']).next().unwrap_or_default();
    kind.len() < value.len() && TYPES.iter().any(|it| kind.eq_ignore_ascii_case(it))
}

/// `0xc000fe8422`
fn is_pointer(value: &str) -> bool {
    // `ctx=0x0a5f8e649723`; the address of a wallet has 42.
    let value = value.split_once("=0x").map_or(value, |(name, _)| &value[name.len() + 1..]);
    (value.len() < 20 || value.len() == 42)
        && value.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// `db01.acme.lan?`
fn is_machine(value: &str) -> bool {
    let value = value.trim_end_matches(['?', '.', ',', ':']);
    let belongs =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    value.bytes().all(belongs) && value.rsplit_once('.').is_some_and(|(_, zone)| ZONES.contains(&zone))
}

/// `H1@shop-4f0ada4bcf69f961`, also the part behind the `@`: what we call entries and projects ourselves.
fn is_entry(value: &str) -> bool {
    let value = value.trim_end_matches(['`', '.', ',', ':', ')']);
    let (entry, project) = value.rsplit_once('@').unwrap_or(("", value));
    let is_entry = entry.len() <= 8 && entry.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    is_entry
        && project.rsplit_once('-').is_some_and(|(name, hash)| {
            !name.is_empty()
                && name.bytes().all(is_name)
                && hash.len() == 16
                && hash.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
        })
}

/// `request_id=5920b742-be54-45c3-97df-f4c96919d15d`
fn is_id_field(value: &str) -> bool {
    let Some((name, id)) = value.split_once('=') else { return false };
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    let names_id = ["id", "trace", "span", "request", "session", "req"].iter().any(|it| name.ends_with(it));
    name.bytes().all(is_name) && names_id && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// `$API/v1/me`
fn is_below_variable(value: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    value
        .strip_prefix('$')
        .and_then(|rest| rest.split_once('/'))
        .is_some_and(|(name, _)| !name.is_empty() && name.bytes().all(is_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_machines_and_fields_are_public() {
        for value in [
            "toolu_01o66jC2WNiufA6t78vzofgn",
            "vpc-e73131325dcc90e39",
            "0xc000fe8422",
            "db01.acme.lan?",
            "request_id=5920b742-be54-45c3-97df-f4c96919d15d",
            "$API/v1/me",
            "String? @db.Text",
            "Expand-Archive -Force",
            "H1@shop-4f0ada4bcf69f961",
            "my.shop-4f0ada4bcf69f961`",
        ] {
            assert!(is_public(value), "{value}");
        }
        let address = "https://a.example/x?scope=openid%20mail";
        assert!(is_in_address(address, address.find("openid").unwrap_or_default()));
        let text = "secrets \"zigbee2mqtt-demo\" not found, \"<zigbee2mqtt access token>\", <b>Hw!7 x</b>";
        for (text, value, wanted) in [
            ("das Passwort von zigbee2mqtt wurde", "zigbee2mqtt", true),
            ("das Passwort ist zigbee2mqtt", "zigbee2mqtt", false),
            ("Lines 1052-1098", "1052-1098", true),
            ("agentId: a33b9fecbf8c82329 (use it)", "a33b9fecbf8c82329", true),
            ("MAX_OUTPUT_TOKENS=113096", "113096", true),
            ("\"GET /password HTTP/1.1\" 200 8841", "200 8841", true),
            ("t.Errorf(\"got: %s\", file1AfterStash)", "file1AfterStash", true),
            ("das Kennwort (Hasel2maus)", "Hasel2maus", false),
        ] {
            let at = text.find(value).unwrap_or_default();
            assert_eq!(is_named_only(text, at, at + value.len()), wanted, "{text}");
        }
        for (value, wanted) in [("zigbee2mqtt-demo", true), ("zigbee2mqtt access", true), ("Hw!7 x", false)] {
            let at = text.find(value).unwrap_or_default();
            assert_eq!(is_named_only(text, at, at + value.len()), wanted, "{value}");
        }
        for value in ["nacht.zug.nach.lissabon", "Hw!7treacle_Fox", "$3cret/9x", "sg-1!", "p=abc", ""] {
            assert!(!is_public(value), "{value}");
        }
    }
}
