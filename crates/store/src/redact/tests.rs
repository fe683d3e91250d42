//! What is masked, what survives, and what the mask looks like.

use super::*;

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
