//! Printed secrets: what a command prints whose job it is to print one.
//!
//! A bare value has neither a form nor a name; the command above it says what it is.

use std::borrow::Cow;

use serde_json::{Map, Value};
use throughline_recall::PassageKind;

use throughline_redact as redact;

/// What stands before each line of an output, below the command that printed it.
const LINE_MARK: &str = "\n> ";
const KIND: &str = "secret";
/// A shorter word is an answer ("true", "null", a count); a longer one is no password, and keys have forms of their own.
const VALUE_BYTES: std::ops::RangeInclusive<usize> = 6..=4_096;
/// Longest name of a variable.
const NAME_BYTES_MAX: usize = 64;

/// Commands that print a secret: all words of a row stand in the command, in this order.
#[rustfmt::skip]
const COMMANDS: &[&[&str]] = &[
    &["pass show "], &["gopass show "], &["op read "], &["op item get ", "--reveal"], &["op item get ", "--field"],
    &["bw get password "], &["secret-tool lookup "], &["keyring get "], &["security find-", "-password", " -w"],
    &["aws secretsmanager get-secret-value", "--output text"], &["aws ssm get-parameter", "--with-decryption", "--output text"],
    &["aws ecr get-login-password"], &["aws configure get ", "aws_secret_access_key"],
    &["gcloud secrets versions access "], &["gcloud auth print-access-token"], &["gcloud auth print-identity-token"],
    &["gcloud auth application-default print-access-token"],
    &["az keyvault secret show", "-o tsv"], &["az keyvault secret show", "--output tsv"],
    &["az account get-access-token", "-o tsv"], &["az account get-access-token", "--output tsv"],
    &["vault kv get ", "-field="], &["vault kv get -field="], &["vault read ", "-field="], &["vault print token"],
    &["kubectl get secret", "base64 -d"], &["kubectl get secret", "base64 --decode"], &["kubectl create token "],
    &["oc get secret", "base64 -d"], &["oc get secret", "base64 --decode"], &["oc whoami -t"],
    &["cat /run/secrets/"], &["cat /var/run/secrets/"], &["gh auth token"], &["glab auth token"],
    &["doppler secrets get ", "--plain"], &["heroku config:get "], &["chamber read ", "-q"],
    &["openssl rand "], &["pwgen "], &["wg genkey"], &["wg genpsk"], &["age-keygen"],
];

/// The text of a passage without what such a command printed.
pub(super) fn masked(kind: PassageKind, text: Cow<'_, str>) -> Cow<'_, str> {
    if !matches!(kind, PassageKind::Command | PassageKind::Output | PassageKind::Error) {
        return text;
    }
    let Some(end) = text.find(LINE_MARK) else { return text };
    let (command, told) = text.split_at(end);
    let hides: &dyn Fn(&str) -> bool = if prints_secret(command) {
        &|_| true
    } else if let Some(name) = printed_name(command) {
        &move |value| is_secret_under(name, value)
    } else {
        return text;
    };
    let is_value = |line: &str| {
        VALUE_BYTES.contains(&line.len()) && !line.contains(char::is_whitespace) && !is_plain(line)
    };
    let mut clean = command.to_owned();
    for line in told.split(LINE_MARK).skip(1) {
        let value = line.trim();
        clean.push_str(LINE_MARK);
        if is_value(value) && hides(value) {
            clean.push_str(&redact::mark(KIND, value));
        } else {
            clean.push_str(line);
        }
    }
    if clean == *text { text } else { Cow::Owned(clean) }
}

fn prints_secret(command: &str) -> bool {
    let holds = |row: &&&[&str]| {
        let mut rest = command;
        row.iter().all(|words| match rest.split_once(words) {
            Some((_, behind)) => {
                rest = behind;
                true
            }
            None => false,
        })
    };
    COMMANDS.iter().any(|row| holds(&row))
}

/// The variable that `printenv X` or `echo "$X"` prints.
fn printed_name(command: &str) -> Option<&str> {
    let command = command.lines().next()?.split(" # ").next()?.trim();
    let shown = |word: &str| Some(command.rsplit_once(word)?.1.trim_matches(['"', '\'']));
    let name = match shown("printenv ") {
        Some(name) => name,
        None => shown("echo ")?.strip_prefix('$')?.trim_start_matches('{').trim_end_matches('}'),
    };
    let is_name =
        name.len() <= NAME_BYTES_MAX && name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    (is_name && !name.is_empty()).then_some(name)
}

fn is_secret_under(name: &str, value: &str) -> bool {
    let mut row = Value::Object(Map::from_iter([(name.to_owned(), Value::from(value))]));
    redact::json(&mut row);
    row[name] != value
}

/// A number, a path, a mark of ours, or the word for nothing.
fn is_plain(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
        || word.starts_with('/')
        || word.starts_with(redact::OPENING)
        || matches!(word, "undefined" | "<none>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        masked(PassageKind::Output, Cow::Borrowed(text)).into_owned()
    }

    #[test]
    fn what_a_command_prints_that_prints_secrets_is_masked() {
        for command in [
            "pass show db/prod",
            "op read op://vault/item/password",
            "security find-generic-password -w -s app",
            "aws secretsmanager get-secret-value --secret-id x --query SecretString --output text",
            "kubectl get secret x -o jsonpath='{.data.password}' | base64 -d",
            "cd infra && cat /run/secrets/db_password # Show it",
            "gcloud secrets versions access latest --secret=db",
            "vault kv get -field=password secret/db",
            "az keyvault secret show --name x --query value -o tsv",
            "echo $DB_PASSWORD",
            "printenv API_TOKEN",
            "echo \"${GITHUB_TOKEN}\"",
        ] {
            let said = shown(&format!("{command}\n> q7rT2vX9kLmWzB4n"));
            assert_eq!(said, format!("{command}\n> [masked:secret]"), "{command}");
        }
    }

    #[test]
    fn other_lines_and_other_commands_keep_their_words() {
        for text in [
            "op read op://vault/item/password | docker login --password-stdin\n> Login Succeeded",
            "kubectl get secret -n app\n> NAME  TYPE  DATA\n> db-credentials  Opaque  2",
            "cat /run/secrets/db_password | wc -c\n> 32",
            "echo $HOME\n> q7rT2vX9kLmWzB4n",
            "printenv PATH\n> q7rT2vX9kLmWzB4n",
            "git rev-parse HEAD\n> 3a12c3e0f9d84c7b8a6e5d4c3b2a190817263544",
            "pass show db/prod",
        ] {
            assert_eq!(shown(text), text);
        }
        let said = shown("pass show db/prod\n> q7rT2vX9kLmW\n> url: db.example.com\n> /etc/app");
        assert_eq!(said, "pass show db/prod\n> [masked:secret]\n> url: db.example.com\n> /etc/app");
    }
}
