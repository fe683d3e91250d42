//! Any text: masking never panics, is idempotent, bounded, quick, and leaves alone what holds no hint.

use std::borrow::Cow;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use throughline_redact as redact;

use crate::draw::{Draw, base64};

/// What secrets are made of, and what stands around them.
const PIECES: [&str; 110] = [
    "password",
    "token",
    "secret",
    "api_key",
    "key",
    "auth",
    "Authorization",
    "Bearer ",
    "Cookie",
    "Basic ",
    "://",
    "@",
    ":",
    "=",
    " = ",
    ": ",
    "\"",
    "'",
    "`",
    "\\\"",
    "\\n",
    "\n",
    " ",
    ",",
    ";",
    "&",
    "?",
    "<",
    ">",
    "(",
    ")",
    "{",
    "}",
    "$",
    "--",
    "-----BEGIN ",
    "PRIVATE KEY",
    "-----END ",
    "-----",
    "ghp_",
    "sk-",
    "sk-ant-",
    "AKIA",
    "eyJ",
    ".eyJ",
    "xoxb-",
    "glpat-",
    "SG.",
    "…",
    "...",
    "é",
    "日本",
    "\u{1F511}",
    "[masked:",
    "]",
    "value",
    "name",
    "curl -u ",
    "mysql -p",
    "discord",
    "setenv ",
    "printenv ",
    "echo $",
    "||",
    "??",
    "**",
    "</key>",
    "<string>",
    "name=\"",
    "Some(",
    "\n\n",
    "```",
    "— ",
    "--name ",
    "--value ",
    ";s:8:\"",
    "[]",
    "<<",
    "PASS ",
    "USER me\n",
    " . ",
    "As String = ",
    "for '",
    "Passwort",
    "пароль",
    "密码",
    "| ",
    "|\n",
    "\t",
    "password,",
    "recovery codes:",
    "seed phrase ",
    "totp ",
    "&#x41;",
    "\\x41",
    "%41",
    "$ cat key\n",
    "MIIEvQIBAD",
    "name: ",
    "passwords:\n  ",
    "secrets set A=",
    "Q7!x9Kd2mm",
    "gospel ",
    "<th>",
    "<td>",
    "pin ",
    "log in ",
    "... ",
    "? ",
    "VALUES (",
];

fn any_piece() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
        2 => "[A-Za-z0-9]{1,44}",
        1 => "[A-Za-z0-9+/]{16,80}={0,2}",
        1 => "[0-9a-f]{8,64}",
        1 => "\\PC{0,12}",
        1 => "[a-z=]{4,20}".prop_map(|text| base64(text.as_bytes())),
    ]
}

fn any_text() -> impl Strategy<Value = String> {
    prop::collection::vec(any_piece(), 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn masked_once_is_masked_for_good(text in any_text()) {
        let clean = redact::text(&text).into_owned();
        prop_assert_eq!(redact::text(&clean), clean.as_str());
    }

    #[test]
    fn a_mask_is_never_much_longer_than_what_it_hides(text in any_text()) {
        let secrets = redact::secrets(&text);
        let clean = redact::text(&text);
        prop_assert!(clean.len() <= text.len() + 48 * secrets.len());
        for secret in secrets {
            // Behind the user of an address any length is a password.
            prop_assert!(secret.len() >= 4 || text.contains("://"), "{}", secret);
        }
    }

    #[test]
    fn json_is_masked_as_often_as_one_likes(key in any_piece(), text in any_text()) {
        let mut value = serde_json::json!({ key: text, "name": "DB_PASSWORD", "value": "tr0ub4dor&3", "n": [1, null] });
        redact::json(&mut value);
        prop_assert!(!value.to_string().contains("tr0ub4dor"));
        let once = value.clone();
        redact::json(&mut value);
        prop_assert_eq!(value, once);
    }

    #[test]
    fn a_text_without_hints_is_the_same_text(words in prop::collection::vec("[b-df-hj-np-t ]{1,12}", 0..40)) {
        // No run is long enough to be encoded, no word is one that hints.
        let text = words.join(". ").replace("pass", "p").replace("pwd", "p");
        prop_assert!(matches!(redact::text(&text), Cow::Borrowed(_)), "{}", text);
    }
}

/// So much text; what is quadratic takes a minute over it where nothing is optimized.
const HOSTILE_BYTES: usize = 128 << 10;

/// Text of what nearly is a secret, in every way that costs a look.
#[test]
fn a_hostile_text_takes_bounded_time() {
    let mut draw = Draw::seeded("hostile", 1);
    let random = draw.fill("{A400}");
    let mut hostile: Vec<String> = PIECES.iter().map(|piece| (*piece).to_owned()).collect();
    hostile.extend([
        "token=".to_owned(),
        "token=\"".to_owned(),
        "password='".to_owned(),
        "a://b:".to_owned(),
        "a://b:c@".to_owned(),
        "-----BEGIN PRIVATE KEY-----".to_owned(),
        "-----BEGIN PRIVATE KEY-----\nAAAA".to_owned(),
        "-----END PRIVATE KEY-----".to_owned(),
        "Cookie: a=b;".to_owned(),
        "eyJhbGciOiJIUzI1NiJ9.".to_owned(),
        "t1.AAAA".to_owned(),
        "yandex=t1.".to_owned(),
        "xoxe.xoxb-1-".to_owned(),
        "AAAAAAAAAAAAAAAA".to_owned(),
        "aGVsbG8gd29ybGQgYWdhaW4gYW5k".to_owned(),
        format!("token={random}"),
        "pat.AAAAAAAAAAAAAAAAAAAAAA.".to_owned(),
        "sshpass -p ".to_owned(),
        "curl -u a:b ".to_owned(),
        "set token ".to_owned(),
        "name: TOKEN, value: ".to_owned(),
        "password:\n\n".to_owned(),
        "--name password ".to_owned(),
        "printenv TOKEN\n".to_owned(),
        "{password, \"".to_owned(),
        "PASS ".to_owned(),
        "user|password\n".to_owned(),
        "a,password\nb,Q7!x9Kd2mm\n".to_owned(),
        "<tr><th>password</th></tr><tr><td>Q7!x9Kd2mm</td></tr>".to_owned(),
        "INSERT INTO t (password) VALUES ('x'),".to_owned(),
        "Passwort ist ".to_owned(),
        "recovery codes: 12345678 ".to_owned(),
        "mnemonic gospel lizard ".to_owned(),
        "passwords:\n  - a\n".to_owned(),
        "\"secrets\": {\"a\": \"b\",".to_owned(),
        "key: name, value: password, ".to_owned(),
        "$ show password\nQ7!x9Kd2mm\n".to_owned(),
        "\\x70\\x61".to_owned(),
        "%70%61%73".to_owned(),
        "&#112;".to_owned(),
        "MIIEvQIBADANBgkq".to_owned(),
        "\"kty\":\"d\",".to_owned(),
        "token = \"a\" + ".to_owned(),
        "a, b, password, c\n".to_owned(),
        "a:b:password:c\n".to_owned(),
        "what is the password? it's Q7x9Kd2mm, ".to_owned(),
        "| a / Q7x9Kd2mm | password |\n".to_owned(),
        "Q7x9Kd2mm (password) ".to_owned(),
        "psk[] = { 0x52, 0x75, ".to_owned(),
        "backup codes\n1. 9517 5718\n".to_owned(),
        "login / a ?".to_owned(),
        "/reset?t=Zk3mQ9xW2pL7vT0bR5nY8c/".to_owned(),
        "-b 'sid=Zk3mQ9xW2pL7vT0bR5nY8c;".to_owned(),
        "KeyName Value\n".to_owned(),
        "**Password**\n".to_owned(),
    ]);
    for piece in hostile {
        let text = piece.repeat(HOSTILE_BYTES / piece.len());
        let start = worked();
        let clean = redact::text(&text);
        let took = worked().saturating_sub(start);
        // Some forty milliseconds where it is optimized, and it was minutes where something grew with the square.
        assert!(took < Duration::from_secs(10), "{piece:.40}: {took:?}");
        assert!(clean.len() <= text.len() * 12);
    }
}

/// How long this thread was at work: on a machine that others use, the clock tells little.
fn worked() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = told.and_then(|told| told.split(' ').next()?.parse().ok());
    ns.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// What broke a property once.
#[test]
fn texts_that_once_broke_it_are_masked_for_good() {
    for text in [
        ["sk-", "PWFhYT1hPWFhYWFhYT1hPWE9YQ==YT09PQ=="].concat(),
        ["sk-", "PWFhPWFhPWE9YT1hYWFhYQ==0aaAb0DB"].concat(),
        ["AA00AaA0aAa0A0aa-----END ", "PRIVATE KEY", "é"].concat(),
        ["AA00AaA0aAa0A0aa-----END ", "PRIVATE KEY", "\u{1f511}\u{301}"].concat(),
        ["é AA00AaA0aAa0A0aa", "é-----END ", "PRIVATE KEY", "-é"].concat(),
        ["postgres://a\u{fffd}p:td", "@b/main?sig=9ff9sLqP2xWq7Zr4Tn\u{fffd}\n"].concat(),
    ] {
        let once = redact::text(&text);
        assert_eq!(redact::text(&once), once, "{text}");
        for secret in redact::secrets(&text) {
            assert!(!once.contains(secret), "{text}: {once}");
        }
    }
}

#[test]
fn a_secret_is_seen_to_be_the_same_one() {
    let text = "password=tr0ub4dor&3 and PASSWORD='tr0ub4dor&3'";
    assert_eq!(redact::secrets(text), ["tr0ub4dor&3", "tr0ub4dor&3"]);
}
