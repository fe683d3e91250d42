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
