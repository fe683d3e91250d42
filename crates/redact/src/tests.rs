//! What is masked, what survives, and what the mask looks like.

use super::*;

mod weighed;

#[test]
fn keys_and_passwords_are_masked() {
    for (dirty, clean) in [
        (
            concat!("key sk", "-ant-", "api03-", "AbCdEfGh0123456789 done"),
            "key [masked:anthropic-api-key] done",
        ),
        (concat!("gh", "p_abcdefghijklmnopqrstuvwxyz0123456789"), "[masked:github-pat]"),
        (concat!("AK", "IA2E0A8F3B5C7D9QRS"), "[masked:aws-access-token]"),
        ("postgres://app:hunter2@db.internal/x", "postgres://app:[masked:url-password]@db.internal/x"),
        ("PASSWORD='correct-horse-9'", "PASSWORD='[masked:password]'"),
        ("\"api_key\": \"0123456789abcdef\"", "\"api_key\": \"[masked:key]\""),
        ("Authorization: Bearer abc.def-123456", "Authorization: Bearer [masked:credential]"),
        ("curl -H 'bearer abc.def-123456'", "curl -H 'bearer [masked:authorization]'"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nrest",
            "[masked:private-key]\nrest",
        ),
    ] {
        assert_eq!(text(dirty), clean);
    }
}

#[test]
fn code_commit_ids_and_uuids_survive() {
    for text_in in [
        "let token = next_token(input);",
        "token = self.next_token()",
        "password: String,",
        "password: string",
        "secret_name=foo",
        "PASSWORD=$PASSWORD",
        "token: <your-token>",
        "API_KEY=xxxxxxxxxxxxxxxx",
        "password=changeme",
        "AKIAIOSFODNN7EXAMPLE",
        "commit 3a12c3e0f9d84c7b8a6e5d4c3b2a190817263544",
        "session 2f467a84-03d0-40d7-985c-b16b5ec832db",
        "the token budget is 1200; secret: none",
        "https://example.org/path?q=1",
    ] {
        assert_eq!(text(text_in), text_in);
        assert!(matches!(text(text_in), Cow::Borrowed(_)));
    }
}

/// Ways to hand a password over without an equals sign. `@` is where it stands.
#[test]
fn commands_sentences_tables_and_other_languages_tell_secrets_too() {
    for template in [
        "openssl enc -aes-256-cbc -k @ -in a",
        "openssl pkcs12 -in a.p12 -passin pass:@",
        "mariadb -u root -p@ app",
        "mongosh mongodb://h -u admin -p @",
        "ldapsearch -x -D cn=admin -w @ -b dc=x",
        "smbclient //h/s -U user%@",
        "unzip -P @ a.zip",
        "7z x -p@ a.7z",
        "htpasswd -b .htpasswd admin @",
        "rabbitmqctl add_user me @",
        "echo 'admin:@' | chpasswd",
        "echo @ | sudo -S ls",
        "echo @ | docker login -u me --password-stdin r.io",
        "keytool -storepass @ -list",
        "ssh-keygen -t rsa -N @ -f k",
        "sqlcmd -U sa -P @ -S h",
        "twine upload -u me -p @ dist/x",
        "security unlock-keychain -p @ login.keychain",
        "net user bob @ /add",
        "btw the db pw is @",
        "pw: @",
        "my password's @",
        "use @ as the password",
        "login: admin / @",
        "creds are admin/@",
        "gh auth login --with-token <<< @kQ2x",
        "sqlplus system/@@orcl",
        "jdbc:oracle:thin:scott/@@//h:1521/x",
        "gh secret set TOKEN -b\"@kQ2\"",
        "setx API_TOKEN @kQ2",
        "requests.get(u, auth=(\"me\", \"@\"))",
        "new NetworkCredential(\"me\", \"@\")",
        "credentials: admin:@",
        "Password for admin set to @",
        "the password was changed to '@'",
        "nmcli dev wifi connect X password @",
        "| DB_PASSWORD | @ |",
        "DB_PASSWORD\t@",
        "password%3D@",
        "<Password xsi:type=\"x\">@</Password>",
        "password = \"\"\"@\"\"\"",
        "contraseña: @",
        "Mot de passe : @",
        "Пароль: @",
        "密码：@",
        "user=admin pass=@",
        "ftp://u:@@h/x",
    ] {
        let secret = "Tq7vKz93Lw*";
        let given = template.replacen('@', secret, 1);
        assert!(!text(&given).contains("vKz93L"), "{given} -> {}", text(&given));
    }
    for template in
        ["The new API key: @", "| token | @ |", "token → @", "read-only token (expires 2027): @", "token @"]
    {
        let given = template.replacen('@', "DrLSoo5NkQMy9Wi1qDLUyHsMMnoZXnDk", 1);
        assert!(!text(&given).contains("NkQMy9Wi1qDL"), "{given} -> {}", text(&given));
    }
}

#[test]
fn sentences_about_secrets_survive() {
    for given in [
        "the password was moved to v2.3.1 of the schema",
        "the token is sent to auth.example.com:8443",
        "password reset for user1234 is in src/reset_v2.rs",
        "tests: pass=112 fail=0",
        "the key is to use PostgreSQL16 here",
        "token 3a12c3e0f9d84c7b8a6e5d4c3b2a190817263544 of the commit",
        "mongo -p 27017 and ssh -p 2222",
        "unzip -P is the flag; zip -r a.zip b",
        "login to https://h.tld/login?next=Home2",
        "| token | description |",
        "MAX_TOKENS\t4096",
        "<password type=\"hidden\"/>",
        "Compress it with 7z -mx9",
        "the secret to a good PR is Review2Merge",
        "mkdir -p src/V2Module9 && git push -u origin fix/Module9x",
        "docker run -u node:node -p 8080:80 img",
        "login page / Dashboard2 is slow",
        "tests pass is Release42 ready",
        "[\"../../etc/passwd\", \"phase-1\"]",
        "toolu_01A9xkQ2bVn7LmZ4RtYw8HcD",
        "cache_key_9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    ] {
        assert_eq!(text(given), given);
    }
}

#[test]
fn a_mark_is_no_name_of_what_stands_behind_it() {
    for given in [
        "/srv/[masked:private-key:4412]/x9.rs",
        "[masked:api-token:12ab]/v2/Module7",
        "[masked:password:99ff]",
        "f('[masked:password]', 'keychain')",
    ] {
        assert_eq!(text(given), given);
    }
}

#[test]
fn the_beginning_of_a_mark_hides_nothing() {
    let secret = ["ghp_", "q7Zr4TnYw8LkVb2McXdP9sHfGj3uAe6RtK1o"].concat();
    for before in ["[masked: token=", "[masked:token:", "[masked:token:12ab", "[masked:", "[masked:x]token="]
    {
        let given = format!("{before}{secret}");
        assert!(
            !text(&given).contains("YwLkVb2Mc") && !text(&given).contains(&secret[12..]),
            "{}",
            text(&given)
        );
    }
}

#[test]
fn keys_in_lists_and_encoded_texts_in_paths_are_found() {
    let key = [
        "- -----BEGIN PRIVATE",
        " KEY-----\n- MIIEq7V2ZopTHSs6Ijhq29F13PgmJye7\n- -----END PRIVATE",
        " KEY-----\n- rest",
    ];
    assert_eq!(text(&key.concat()), "- [masked:private-key]\n- rest");
    let path = ["/srv/REJfUEFTU1dPUkQ9", "cTdIeDkza0xtVzJ2VHo4/x.rs"].concat();
    assert_eq!(text(&path), "/srv/[masked:password]/x.rs");
}

#[test]
fn a_sentence_about_a_program_keeps_its_words() {
    for sentence in [
        "cargo login requires a token",
        "mkpasswd generates hashes for the image",
        "the net user accounts migration is done",
    ] {
        assert_eq!(text(sentence), sentence);
    }
    assert_eq!(text("htpasswd -b users me q7rT2vX9kLmW"), "htpasswd -b users me [masked:password]");
}

/// Sentences in which a word that says secret stands before a word that is none.
const TALK: [&str; 200] = [
    "we set password handling aside",
    "please set secret rotation to monthly",
    "token budget is 300",
    "the password reset flow",
    "api key rotation policy",
    "set password requirements per tenant",
    "we should set token lifetime to one hour",
    "set credential helper options first",
    "they set auth middleware before the router",
    "set password policies in the admin console",
    "let us set passphrase prompting aside for now",
    "he set secret management up last week",
    "did you set token expiration correctly?",
    "I will set authentication requirements later",
    "set private key permissions to 0600",
    "set api key scopes narrowly",
    "Next: set token refreshing behind a flag",
    "we set password_hash algorithms centrally",
    "set password confirmation as required",
    "set user password complexity rules",
    "login screens and password managers",
    "the login page asks for password confirmation twice",
    "user enters password confirmation below",
    "user forgot password instructions again",
    "a user token storage redesign",
    "login flow with token exchange",
    "the user secret scanning alert was closed",
    "user password autocompletion is off",
    "login via password authentication is disabled",
    "every user credential verification takes 40ms",
    "the password is required",
    "the token is invalid",
    "the password is stored hashed",
    "the secret is rotated monthly",
    "password: required",
    "password = required",
    "token: optional, defaults to none",
    "secret: managed externally",
    "the password was compromised",
    "the token was revoked yesterday",
    "the key is configuration",
    "my password's expiration date",
    "the --password flag overrides",
    "--token authentication wins over --password prompting",
    "use --password interactively",
    "pass --api-key explicitly",
    "the --secret parameter accepts strings",
    "use -password instead of -token whenever possible",
    "password, token, secret: everything redacted",
    "token = tokenizer.next_token()",
    "the token bucket refills 10 tokens per second",
    "JWT authentication middleware v2",
    "the private key is generated during bootstrap",
    "OAuth2 token endpoint returns 401",
    "secret sharing (Shamir) over GF256",
    "the password field has autocomplete=\"current-password\"",
    "label=\"Password\" placeholder=\"Enter password\"",
    "\"password\", \"passwordConfirmation\"",
    "request(\"password\", \"confirmation\")",
    "set PASSWORD environment variables",
    "export PASSWORD handling into its module",
    "setting password handling aside",
    "reset password handling",
    "the reset token generation happens nightly",
    "offset token positions by one",
    "we set password-handling aside",
    "a set password requirement",
    "once set, password changes propagate",
    "set the password handling aside",
    "Set password handling aside",
    "the subset token vocabulary shrinks",
    "asset key generation",
    "dataset token statistics",
    "changeset key management",
    "charset password encoding",
    "set session token invalidation on logout",
    "please set secret rotation weekly",
    "please set password expiry: monthly",
    "set auth tokens expiring quickly",
    "use password authentication everywhere",
    "user: password resets spike",
    "login user password authentication",
    "the user password validation regex",
    "psk negotiation fails",
    "pass credentials explicitly",
    "credentials: provided separately",
    "auth: delegated",
    "we have set token counting up",
    "TOKEN handling",
    "set TOKEN handling aside",
    "set-password confirmation",
    "--set-password interactively",
    "-p password prompting",
    "password reminder: yesterday",
    "password \"handling\" is set aside",
    "our password 'strategy' document",
    "token \"budgeting\" in prompts",
    "PASSWORD 'placeholder' in docs",
    "the word password \"confirmation\" appears",
    "the password “correctness” proof",
    "Set-Cookie and token forwarding",
    "secret santa gift exchange",
    "The key takeaway is simplification",
    "the primary key constraint violation",
    "the master password derivation (PBKDF2)",
    "a password-less login experiment",
    "login password remembered",
    "login: password remembered",
    "user token deduplication",
    "user secret synchronisation",
    "superuser password changing",
    "the current user password changing",
    "we set password handling, token refresh and logging aside",
    "set password strength to medium",
    "set password case-sensitivity aside",
    "how we set Password Handling aside",
    "use --password explicitly, never in a file",
    "users and login attempts: password attempts are counted",
    "set password minimums per tenant",
    "I set password length to twelve",
    "set password prompts to silent",
    "can you set password hashing rounds higher?",
    "we set password entropy thresholds last sprint",
    "set token revocation up before the release",
    "let's set the api key quota per project",
    "the team set secret detection thresholds too high",
    "user asked for password strengths in the report",
    "login fails, password mismatch again",
    "login works without password whatsoever",
    "user login needs password unlocking first",
    "users forget password resetting steps",
    "set password history depth",
    "login form shows password visibility toggle",
    "user password history checks",
    "set password templates in Keycloak",
    "user service: password migrations",
    "the user wants password generators everywhere",
    "we set user passwords centrally",
    "login handler checks password equality in constant time",
    "set PASSWORD variables somewhere",
    "set password questions",
    "user, password, database",
    "login, password, remember",
    "set password fallback chain",
    "login with password failures count",
    "the login endpoint and password endpoints",
    "user credentials and password databases",
    "set password hints: forbidden",
    "set auth password backends",
    "user management: password workflows",
    "the user set password expectations himself",
    "superuser password unchanged",
    "user password unchanged",
    "login password incorrect",
    "login: password incorrect, try again",
    "user's password unchanged",
    "the --password option is deprecated",
    "prefer --password-stdin over --password plaintext",
    "pass --password somehow",
    "give --token whatever you like",
    "--api-key unnecessary here",
    "`--password` documentation",
    "call set_password confirmation first",
    "\"password\": \"Passwort vergessen\"",
    "{\"password\": \"must contain letters\"}",
    "t(\"password\", \"forgotten\")",
    "fields = [\"password\", \"remember\"]",
    "[\"username\", \"password\", \"rememberMe\"]",
    "register(\"password\", \"validators\")",
    "set password characters",
    "set password lengths",
    "set passphrase caching off",
    "set password equality checks",
    "login user password unknown",
    "requirepass disabled",
    "requirepass directive in redis.conf",
    "the requirepass setting",
    "masterauth configuration",
    "psk-only networks",
    "bindpw missing from ldap.conf",
    "before the demo we set password prompting to lenient",
    "set secret names in lowercase",
    "we never set password reminders",
    "set password complexity",
    "the user typed password garbage",
    "login dialogs: password managers interfere",
    "set password behaviour in one place",
    "user story: password sharing within teams",
    "I'd set token caching aside until Friday",
    "the login test sets password unconditionally",
    "set password alongside username",
    "set password afterwards",
    "user password expires tomorrow",
    "set password backups to never",
    "use --password carefully",
    "set password protection on the archive",
    "set private key passphrase handling",
    "the user changed password yesterday evening",
    "login needs password plus code",
    "set password formats",
];

#[test]
fn talk_about_secrets_keeps_every_word() {
    let lost: Vec<_> = TALK.iter().filter(|given| text(given) != **given).map(|given| text(given)).collect();
    assert_eq!(lost, [""; 0]);
}

#[test]
fn a_word_chosen_for_a_password_is_one_where_no_sentence_goes_on() {
    for given in [
        "set password hunter2x9",
        "set password hunter2x9 for the test user",
        "set PASSWORD=swordfish",
        "config set requirepass swordfish",
        "set password swordfish",
        "set password swordfish && restart",
        "set password correct-horse-battery-swordfish for him",
        "machine h login me password swordfish",
        "machine h login me password swordfish machine i login me",
        "mycli --password swordfish deploy",
        "mycli --password swordfish-horse-painting",
        "ALTER ROLE app WITH PASSWORD 'swordfish'",
        "create role app with password 'swordfish' nosuperuser",
        "[\"mycli\", \"--password\", \"swordfish\"]",
        "[(\"password\", \"swordfish\")]",
        "login(user, \"password\", \"swordfish\")",
    ] {
        let clean = text(given);
        assert!(!clean.contains("swordfish") && !clean.contains("hunter2"), "{clean}");
    }
}

/// Lines of a key, drawn.
fn key_lines(count: usize) -> Vec<String> {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 7_u64;
    let mut drawn = |length: usize| -> String {
        (0..length)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                char::from(letters[usize::try_from(state >> 33).unwrap() % letters.len()])
            })
            .collect()
    };
    let mut lines: Vec<String> = (0..count).map(|_| drawn(64)).collect();
    lines.push("q7Q=".to_owned());
    lines
}

#[test]
fn a_key_of_which_one_end_is_gone_is_masked_up_to_where_its_lines_end() {
    let lines = key_lines(6);
    let (begin, end) =
        (["-----BEGIN RSA PRIVATE", " KEY-----"].concat(), ["-----END RSA PRIVATE", " KEY-----"].concat());
    let numbered = |from: usize, sign: &str| -> Vec<String> {
        lines
            .iter()
            .chain([&end])
            .enumerate()
            .map(|(at, line)| format!("{:>6}{sign}{line}", from + at))
            .collect()
    };
    let tails = [
        format!("{}\n{end}", lines.join("\n")),
        format!("{}\n> {end}", lines.join("\n> ")),
        format!("{}\\n{end}", lines.join("\\n")),
        format!("{} {end}", lines.join(" ")),
        format!("{}\r\n{end}", lines.join("\r\n")),
        format!("    {}\n    {end}", lines.join("\n    ")),
        numbered(9, "\t").join("\n"),
        numbered(9, "→").join("\n"),
        numbered(9, ":").join("\n"),
    ];
    for tail in tails {
        let clean = text(&format!("$ tail -8 /home/me/.ssh/id_rsa2\n… 19 lines left out\n{tail}\ndone 12"))
            .into_owned();
        assert!(lines.iter().all(|line| !clean.contains(&line[..4])), "{clean}");
        assert!(clean.starts_with("$ tail -8 /home/me/.ssh/id_rsa2\n… 19 lines left out\n"), "{clean}");
        assert!(clean.ends_with("[masked:private-key]\ndone 12"), "{clean}");
    }
    let heads = [
        format!("{begin}\n{}", lines.join("\n")),
        format!("> {begin}\n> {}", lines.join("\n> ")),
        format!("     1\t{begin}\n{}", numbered(2, "\t")[..6].join("\n")),
        format!("     1→{begin}\n{}", numbered(2, "→")[..6].join("\n")),
        format!("1:{begin}\n{}", numbered(2, ":")[..6].join("\n")),
    ];
    for head in heads {
        let clean = text(&format!("$ head -8 id_rsa\n{head}\n... [19 lines truncated] ...")).into_owned();
        assert!(lines.iter().all(|line| !clean.contains(&line[..12.min(line.len())])), "{clean}");
        assert!(clean.ends_with("[masked:private-key]\n... [19 lines truncated] ..."), "{clean}");
    }
}

#[test]
fn versions_addresses_and_lists_of_names_are_no_passwords() {
    for given in [
        "  \"dependencies\": {\n    \"minipass\": \"^7.1.2\",\n    \"fs-minipass\": \"~3.0.3\"\n  }",
        "\"db-pass\": \">=2.0\"",
        "Object.defineProperty(P);P.Minipass=P.isWritable=P.isReadable=P.isStream=void 0;",
        "[`EVP_BytesToKey`]: https://www.openssl.org/docs/man3.0/man3/EVP_BytesToKey.html",
        "[JSON Web Key]: https://tools.ietf.org/html/rfc7517",
        ".. _`Bearer Token`: https://tools.ietf.org/html/rfc6750",
        "# \"scram-sha-256\" are preferred since they send encrypted passwords.",
        "METHOD can be \"trust\", \"reject\", \"md5\", \"password\", \"scram-sha-256\"",
        "the method identified by `algorithm`, and an error identified by `code:` of it",
        "USER_PASSWD = \"%s:%s\" % (USER, PASSWD)",
        "capabilities = 'LOGINDISABLED AUTH=CRAM-MD5'",
        "'PKObject', 'PKPass', 'PKPassLibrary', 'PKPayment'",
        "'prop', 'pwd', 'quickcheck', 'refute'",
        "['ssh-askpass', 'keychain', 'libpam-ssh']",
        "{ psk: &#x3C;Buffer|TypedArray|DataView>, identity: &lt;string> }",
        "challenge = auth._parse_www_authenticate(response, \"www-authenticate\")",
        "407: (\"proxy_authentication_required\", \"proxy_auth\", \"proxy_authentication\")",
        "const password = await read.password('Password:', creds.password)",
        "pub const ID_KP_SERVER_AUTH: crate::ObjectIdentifier =",
        "def encode_private(self, private_key: ed25519.Ed25519PrivateKey)",
        "should_pass(\"WinDLL('./_sqlite3.dll')\")",
    ] {
        assert_eq!(text(given), given);
    }
    let drawn = "q7Rt2vX9kLmW4nPz8sYd";
    for given in [format!("WEBHOOK_TOKEN=https://hooks.tld/s/{drawn}"), format!("db_pass: \"{drawn}\"")] {
        assert!(!text(&given).contains(drawn), "{given}");
    }
}

#[test]
fn words_before_the_last_line_of_a_key_survive() {
    let end = ["-----END PRIVATE", " KEY-----"].concat();
    for before in ["grep -c '", "the file ends with\n", "src/very/long/path/of/a/module\n", "found 2026 of "]
    {
        let given = format!("{before}{end} there");
        assert_eq!(text(&given), given);
    }
}

/// Named on the third line, and in an address, in base64, in hex, in escapes before and behind it.
#[test]
fn a_value_that_is_named_once_is_masked_wherever_it_stands() {
    let secret = ["Harbor&Lamp", "/4471x"].concat();
    let hex = "486172626f72264c616d702f3434373178";
    let given = [
        format!("it said {secret} twice"),
        format!("https://h.tld/login?next={}", secret.replace('&', "%26").replace('/', "%2F")),
        format!("DB_PASSWORD={secret}"),
        format!("<i>{}</i> and \"{}\"", secret.replace('&', "&amp;"), secret.replace('/', "\\/")),
        format!("raw {hex} and {}", hex.to_uppercase()),
        // `me:` and the value.
        "data bWU6SGFyYm9yJkxhbXAvNDQ3MXg= end".to_owned(),
    ];
    let masked = text(&given.join("\n")).into_owned();
    for left in ["Harbor", "4471x", "486172", "SGFyYm9y", "yJkxhbXAv"] {
        assert!(!masked.contains(left), "{left} in {masked}");
    }
    assert!(masked.contains("it said [masked:") && masked.ends_with(" end"), "{masked}");
    assert_eq!(text(&masked), masked);
}

#[test]
fn a_public_place_has_a_password_and_a_public_key_none() {
    assert!(text("öffentliches WLAN, Passwort: Kranich_4417x").contains(OPENING));
    let key = "Der öffentliche Schlüssel lautet UyPOUfb5wrQ/9fzln3xy15blghJlIB4OV+VSQq+01d/=";
    assert_eq!(text(key), key);
}

#[test]
fn the_numbers_of_a_printed_key_are_masked_and_its_public_half_stays() {
    let printed = "Private-Key: (256 bit)\npriv:\n    6c:ec:b7:5a:68:3e:4a:21:\n    f7:b1\npub:\n    04:8d:f4:70:e6:08:83:5b:\nASN1 OID: prime256v1";
    let clean = text(printed);
    assert!(!clean.contains("6c:ec") && !clean.contains("f7:b1"), "{clean}");
    assert!(clean.contains("04:8d:f4:70:e6:08:83:5b"), "{clean}");
}

#[test]
fn fields_behind_a_type_and_keys_of_nothing_but_zeros_stay() {
    for harmless in [
        "token_type=bearer expires_in=48842 scope=write",
        "BLOCK1 (BLOCK1): Flash encryption key = 00 00 00 00 00 00 00 00 R/W",
    ] {
        assert_eq!(text(harmless), harmless);
    }
    assert_ne!(
        text("Authorization: Bearer 8fJq2mXv7LwR4tZs9KdQ="),
        "Authorization: Bearer 8fJq2mXv7LwR4tZs9KdQ="
    );
}
