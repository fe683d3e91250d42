//! Names: which ones say that a secret follows.

/// What a name says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// A password: people choose those.
    Password,
    /// The bare word `pass`, which test runners say, too.
    Pass,
    /// A token, a secret, a key: drawn at random.
    Token,
    /// A key, of which nothing says what for.
    Key,
    /// Words that together are a key.
    Phrase,
}

/// Longest name that is looked at.
const WORDS_MAX: usize = 16;

/// What may stand behind the telling word: `TOKEN_PROD`, `password1`, `secretValue`.
const TRAILERS: [&str; 31] = [
    "hex",
    "b64",
    "value",
    "string",
    "raw",
    "plain",
    "plaintext",
    "text",
    "base",
    "64",
    "b",
    "base64",
    "encoded",
    "prod",
    "production",
    "dev",
    "development",
    "staging",
    "stage",
    "test",
    "live",
    "new",
    "old",
    "current",
    "default",
    "main",
    "admin",
    "root",
    "primary",
    "secondary",
    "override",
];
/// What makes a token something else than a key to a door.
const HARMLESS_TOKENS: [&str; 43] = [
    "allow",
    "with",
    "include",
    "has",
    "use",
    "next",
    "page",
    "continuation",
    "cancellation",
    "cancel",
    "sync",
    "public",
    "delimiter",
    "eos",
    "bos",
    "pad",
    "unk",
    "sep",
    "mask",
    "design",
    "color",
    "colour",
    "class",
    "idempotency",
    "resume",
    "cursor",
    "start",
    "end",
    "stop",
    "special",
    "syntax",
    "semantic",
    "lexer",
    "parser",
    "per",
    "max",
    "min",
    "total",
    "last",
    "prev",
    "previous",
    "keyword",
    "comment",
];
/// What a key has to be called to be one of those that open something.
const KEYS: [&str; 54] = [
    "crypt",
    "vault",
    "unseal",
    "root",
    "api",
    "access",
    "secret",
    "private",
    "signing",
    "sign",
    "encryption",
    "encrypt",
    "decryption",
    "master",
    "auth",
    "authentication",
    "authorization",
    "account",
    "shared",
    "sharedaccess",
    "service",
    "admin",
    "app",
    "application",
    "client",
    "consumer",
    "license",
    "licence",
    "deploy",
    "webhook",
    "session",
    "storage",
    "write",
    "server",
    "integration",
    "subscription",
    "function",
    "functions",
    "hmac",
    "jwt",
    "aes",
    "cipher",
    "crypto",
    "wrapping",
    "host",
    "ingest",
    "ingestion",
    "rest",
    "accesskey",
    "service_role",
    "role",
    "registration",
    "join",
    "certificate",
];
/// Keys of maps, tables and caches.
const HARMLESS_KEYS: [&str; 37] = [
    "public",
    "pub",
    "foreign",
    "cache",
    "sort",
    "partition",
    "object",
    "row",
    "map",
    "hash",
    "idempotency",
    "unique",
    "group",
    "query",
    "range",
    "item",
    "lookup",
    "index",
    "composite",
    "natural",
    "hot",
    "image",
    "file",
    "lock",
    "dedup",
    "build",
    "bucket",
    "react",
    "step",
    "data",
    "restore",
    "artifact",
    "cursor",
    "site",
    "search",
    "publishable",
    "verify",
];
const PASSWORDS: [&str; 17] = [
    "bindpw",
    "rootpw",
    "psk",
    "wpapsk",
    "password",
    "passwd",
    "passwort",
    "pwd",
    "passphrase",
    "passcode",
    "pw",
    "psw",
    "pswd",
    "pgpassword",
    "sshpass",
    "userpass",
    "dbpass",
];
const TOKENS: [&str; 25] = [
    "tok",
    "secret",
    "token",
    "credential",
    "credentials",
    "creds",
    "cred",
    "apikey",
    "authtoken",
    "accesstoken",
    "accesskey",
    "secretkey",
    "privatekey",
    "auth",
    "authkey",
    "jwt",
    "pat",
    "apitoken",
    "bearer",
    "phpsessid",
    "jsessionid",
    "sessid",
    "authorization",
    "salt",
    "pepper",
];

/// Words that end as a password does.
const WAYS: [&str; 21] = [
    "bypass",
    "minipass",
    "compass",
    "encompass",
    "overpass",
    "surpass",
    "trespass",
    "underpass",
    "multipass",
    "onepass",
    "firstpass",
    "singlepass",
    "lowpass",
    "highpass",
    "bandpass",
    "allpass",
    "renderpass",
    "subpass",
    "prepass",
    "lastpass",
    "keepass",
];

/// Before `pass`: one time through something, or a test that succeeds.
const TIMES: [&str; 16] = [
    "should", "must", "will", "can", "first", "second", "third", "next", "multi", "single", "render", "lint",
    "late", "early", "each", "per",
];

/// Words before `key` that are none of its name.
pub(super) const LINKS: [&str; 16] = [
    "from", "with", "the", "this", "that", "for", "and", "new", "same", "each", "any", "using", "hit",
    "missing", "found", "your",
];

/// What a name says; `None` when it says nothing of a secret.
pub(super) fn says(name: &str) -> Option<Says> {
    // Of a path of names the last is the thing itself.
    let name = name.rsplit('.').next().unwrap_or(name);
    // `KeePass`, `1Password`: where passwords are kept.
    if name.eq_ignore_ascii_case("1password") || WAYS.iter().any(|it| name.eq_ignore_ascii_case(it)) {
        return None;
    }
    let mut words: Vec<String> = words_of(name);
    if words.len() > WORDS_MAX {
        return None;
    }
    let is_trailer =
        |word: &String| TRAILERS.contains(&word.as_str()) || word.bytes().all(|byte| byte.is_ascii_digit());
    while words.len() > 1 && words.last().is_some_and(is_trailer) {
        words.pop();
    }
    let last = words.pop()?;
    // `PublicKeyToken`: everybody may have it.
    if words.iter().any(|word| word == "public") && last != "password" {
        return None;
    }
    let last = last.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let before = words.last().map(String::as_str);
    if last == "pass" && before.is_some_and(|word| TIMES.contains(&word)) {
        return None;
    }
    if last == "pass" {
        return Some(if before.is_some() { Says::Password } else { Says::Pass });
    }
    if last.ends_with("pass") && !WAYS.contains(&last) {
        return Some(Says::Password);
    }
    if PASSWORDS.contains(&last)
        || ["password", "passwd", "requirepass", "masterauth"].iter().any(|end| last.ends_with(end))
    {
        return Some(Says::Password);
    }
    // Of an application's login, beside its `role_id`.
    if last == "id" && before == Some("secret") {
        return Some(Says::Token);
    }
    if last == "community" && matches!(before, Some("snmp" | "ro" | "rw" | "read" | "write")) {
        return Some(Says::Password);
    }
    if last == "mnemonic" || (last == "phrase" && matches!(before, Some("seed" | "recovery" | "backup"))) {
        return Some(Says::Phrase);
    }
    if last == "key" {
        let before = before?;
        let is_opening = KEYS.contains(&before) || before.ends_with("api");
        let is_harmless = HARMLESS_KEYS.contains(&before);
        return if is_opening { Some(Says::Token) } else { (!is_harmless).then_some(Says::Key) };
    }
    if last != "secret" && before.is_some_and(|word| HARMLESS_TOKENS.contains(&word)) {
        return None;
    }
    let is_token = TOKENS.contains(&last)
        || ["token", "secret", "apikey", "accesskey", "secretkey", "privatekey", "authkey"]
            .iter()
            .any(|end| last.ends_with(end));
    is_token.then_some(Says::Token)
}

/// What a name says of all that stands under it: `passwords`, `secrets`, `api_keys`, or the name of one.
pub(super) fn says_of_many(name: &str) -> Option<Says> {
    let one = name.strip_suffix('s').or_else(|| name.strip_suffix('S'));
    says(name).or_else(|| one.and_then(says)).filter(|said| *said != Says::Pass)
}

/// Fields that stand beside a secret and are none.
const BESIDE: [&str; 39] = [
    "name",
    "user",
    "username",
    "login",
    "email",
    "host",
    "hostname",
    "port",
    "url",
    "uri",
    "type",
    "kind",
    "id",
    "description",
    "label",
    "title",
    "role",
    "scope",
    "scopes",
    "algorithm",
    "alg",
    "version",
    "created",
    "updated",
    "expires",
    "status",
    "state",
    "region",
    "path",
    "file",
    "database",
    "db",
    "provider",
    "issuer",
    "policy",
    "enabled",
    "driver",
    "source",
    "from",
];

/// Whether a field under a name that says secret is something else: who, where, since when.
pub(super) fn is_beside(field: &str) -> bool {
    let words = words_of(field);
    let is_date = |word: &String| matches!(word.as_str(), "at" | "on" | "date" | "time");
    words.last().is_some_and(|last| BESIDE.contains(&last.as_str()) || is_date(last)) && says(field).is_none()
}

/// The words of a name in any of the usual spellings, in small letters.
fn words_of(name: &str) -> Vec<String> {
    let bytes = name.as_bytes();
    let mut words = Vec::new();
    let mut start = 0;
    for at in 0..=bytes.len() {
        let is_end = at == bytes.len() || !bytes[at].is_ascii_alphanumeric();
        let is_hump = !is_end
            && at > start
            && bytes[at].is_ascii_uppercase()
            && (bytes[at - 1].is_ascii_lowercase() || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase));
        if (is_end || is_hump) && at > start {
            words.push(name[start..at].to_ascii_lowercase());
            start = at;
        }
        if is_end {
            start = at + 1;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_follows() {
        for (name, said) in [
            ("password", Some(Says::Password)),
            ("DB_PASSWORD", Some(Says::Password)),
            ("spring.datasource.password", Some(Says::Password)),
            ("PGPASSWORD", Some(Says::Password)),
            ("userPassword2", Some(Says::Password)),
            ("DB_PASS", Some(Says::Password)),
            ("pass", Some(Says::Pass)),
            ("minipass", None),
            ("should_pass", None),
            ("AWS_SECRET_ACCESS_KEY", Some(Says::Token)),
            ("x-api-key", Some(Says::Token)),
            ("_authToken", Some(Says::Token)),
            ("clientSecret", Some(Says::Token)),
            ("API_TOKEN_PROD", Some(Says::Token)),
            ("SharedAccessKey", Some(Says::Token)),
            ("seed_phrase", Some(Says::Phrase)),
            ("token_count", None),
            ("max_tokens", None),
            ("nextPageToken", None),
            ("requirepass", Some(Says::Password)),
            ("rapidapi_key", Some(Says::Token)),
            ("adafruit_io_key", Some(Says::Key)),
            ("primary_key", Some(Says::Key)),
            ("public_key", None),
            ("secret_name", None),
            ("password_hash", None),
            ("tokenizer", None),
            ("author", None),
            ("keyboard", None),
            ("token.length", None),
        ] {
            assert_eq!(says(name), said, "{name}");
        }
    }
}
