//! What rules, names and the judge say together of a value, and what none of them takes back.

use super::*;

#[test]
fn what_was_called_an_id_is_one_wherever_it_stands() {
    let given = "agentId: a33b9fecbf8c82329 (use SendMessage with to: 'a33b9fecbf8c82329')";
    assert_eq!(text(given), given);
}

#[test]
fn a_token_in_an_address_is_masked_whatever_stands_around_it() {
    for secret in ["q77dWLMSUfRhHkoxwxEkcnUPmwS5UEol", "9f86d081884c7d659a2feaa0c55ad015"] {
        for name in ["access_token", "token", "api_key", "password"] {
            let given = format!("https://h.tld/f?{name}={secret}&x=1");
            for given in [
                given.clone(),
                format!("name it {given} (because {given})"),
                format!("{{\"a\":\"{given}\"}}"),
            ] {
                assert!(!text(&given).contains(secret), "{given}: {}", text(&given));
            }
        }
    }
}

/// What `recall` prints, whatever the hash of the project is: the next command needs it whole.
#[test]
fn what_we_call_entries_and_projects_is_never_masked() {
    let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
    for kind in ["highlight", "anchor", "decision", "constraint", "question"].iter().cycle().take(400) {
        hash = hash.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let project = format!("project-{hash:016x}");
        let given = format!(
            "H1@{project}  {kind}, 2026-11-17 23:32, by user, {project}\n    the heron flies\n\
             D2@{project}  decision, 2026-11-17 23:32, by user, {project}\n    name it (because token [masked:github-pat:101e])\n\
             `throughline recall show H1@{project}` opens what stands around it\n"
        );
        assert_eq!(text(&given), given);
    }
}

#[test]
fn a_value_that_was_learnt_is_masked_where_nothing_names_it() {
    let secret = ["osprey.quill", ".harbour"].concat();
    let said = format!("the log has {secret} in it");
    assert_eq!(text(&said), said);
    learn(&secret);
    assert_eq!(text(&said), "the log has [masked:secret] in it");
    // A word, or what is short, could stand anywhere.
    for harmless in ["configuration-file", "short-7", "https://h.tld/index"] {
        learn(harmless);
        assert_eq!(text(harmless), harmless);
    }
}

#[test]
fn a_field_that_names_a_secret_hides_it_in_the_fields_before() {
    let secret = ["Walnut!Bridge", "88421"].concat();
    let mut value = serde_json::json!({
        "a": format!("started with {secret}"),
        "env": [{ "value": secret, "type": "String", "key": "SMTP_PASSWORD" }],
        "passwords": { "me": "Kelp!Bed19", "user": "web" },
    });
    json(&mut value);
    let masked = value.to_string();
    assert!(!masked.contains("Bridge") && !masked.contains("Kelp"), "{masked}");
    assert!(masked.contains("started with [masked:") && masked.contains("\"web\""), "{masked}");
}

#[test]
fn colours_and_words_that_hyphens_join_make_no_secret() {
    let plain = "Design: a token bucket per API key, counters in Redis, 429 with Retry-After. It is in src/limiter.rs.";
    let painted = plain.replace("Retry-After", "\u{1b}[32mRetry-After\u{1b}[0m");
    for harmless in [plain, painted.as_str()] {
        assert_eq!(text(harmless), harmless);
    }
}

/// The judge's guards keep it from adding; what a rule found they do not take back.
#[test]
fn a_password_stays_masked_behind_words_that_name_things() {
    for given in [
        "I set a password of Tiger_3277Hgi! on the box",
        "login with a password of q77dWLMSUfRhHkoxwx",
        "das Passwort von Hg7!kdLwq9 ist neu: password: Hg7!kdLwq9",
        "the password for root is Tr0ub4dor&3x",
        "login(user, password=Hunter22xQ)",
        "password: Kx9 -pq7LmW2z",
    ] {
        let masked = text(given);
        let secrets =
            ["Tiger_3277Hgi!", "q77dWLMSUfRhHkoxwx", "Hg7!kdLwq9", "Tr0ub4dor&3x", "Hunter22xQ", "pq7LmW2z"];
        assert!(!secrets.iter().any(|it| masked.contains(it)), "{given}: {masked}");
    }
}
