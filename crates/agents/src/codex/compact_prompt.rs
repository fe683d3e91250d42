//! Compact prompt: what Codex asks its summariser for, in our words: the only door to its summaries, and the user's own.

use throughline_domain::hand_over::REQUEST;
use throughline_domain::text::fingerprint;

use crate::settings::edit::{Edit, EditOutcome, SettingsProblem};
use crate::settings::toml_keys::{self, parse};

const KEY: &str = "compact_prompt";
/// Other keys by which somebody has a prompt of their own.
const FILE_KEY: &str = "experimental_compact_prompt_file";
const MARK: &str = "# throughline: written by `init --codex-prompt`, taken out by `uninstall`";

const PROMPT: &str = "\
You are making a checkpoint of this conversation: what you write takes its place, and another model goes on from it alone. \
Write a summary for it to hand the work over. Say what was asked for and how far it is: done, in progress, next. Keep word by \
word, with ids, names, paths, commands and numbers: what the user demanded and forbade; decisions with their reasons, and what \
is still undecided; the files that matter, the commands that check the work and their last result; errors that matter, word by \
word. Text between throughline's marks is the project's memory: it is given anew by itself, so keep of it only what this work \
rests on. Spend no room on what is on disk anyway. Be brief and exact, and use headings.";

/// What stands in a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptStanding {
    /// None.
    Absent,
    /// Ours, as this version writes it.
    UpToDate,
    /// Ours of another version.
    Outdated,
    /// Ours, changed by somebody since.
    Edited,
    /// Somebody's own.
    Foreign,
}

/// What the summariser is asked.
#[must_use]
pub fn prompt() -> String {
    format!("{PROMPT}\n\n{REQUEST}\n")
}

/// What stands in a configuration's text.
pub fn standing(text: &str) -> Result<PromptStanding, SettingsProblem> {
    let table = parse(text)?;
    let Some(value) = table.get(KEY) else {
        let is_theirs = table.contains_key(FILE_KEY);
        return Ok(if is_theirs { PromptStanding::Foreign } else { PromptStanding::Absent });
    };
    let said = value.as_str().unwrap_or_default();
    let Some(mark) = text
        .lines()
        .map(|line| line.trim_start_matches('\u{feff}').trim_end())
        .find(|line| line.starts_with(MARK))
    else {
        return Ok(PromptStanding::Foreign);
    };
    Ok(match said {
        said if said == prompt() => PromptStanding::UpToDate,
        said if mark == mark_of(said) => PromptStanding::Outdated,
        _ => PromptStanding::Edited,
    })
}

/// Puts our prompt into a configuration's text, or brings it up to date. Somebody's own is no place for ours.
pub fn install(text: &str) -> Result<Edit, SettingsProblem> {
    match standing(text)? {
        PromptStanding::UpToDate => Ok(Edit { text: text.to_owned(), outcome: EditOutcome::Unchanged }),
        PromptStanding::Absent => put(text),
        PromptStanding::Outdated | PromptStanding::Edited => put(&uninstall(text)?.text),
        PromptStanding::Foreign => {
            let at = text.find(KEY).unwrap_or(0);
            let what = "it has a prompt for compactions already, which is not ours";
            let hint = "take it out first, or go on without --codex-prompt";
            Err(SettingsProblem::at(text, at, what, hint))
        }
    }
}

/// Takes our prompt out again.
pub fn uninstall(text: &str) -> Result<Edit, SettingsProblem> {
    match standing(text)? {
        PromptStanding::Absent | PromptStanding::Foreign => {
            Ok(Edit { text: text.to_owned(), outcome: EditOutcome::Unchanged })
        }
        _ => toml_keys::remove(text, &[KEY], |line| line.starts_with(MARK)),
    }
}

fn put(text: &str) -> Result<Edit, SettingsProblem> {
    let prompt = prompt();
    let lines = format!("{}\n{KEY} = \"\"\"\n{}\"\"\"", mark_of(&prompt), escaped(&prompt));
    toml_keys::prepend(text, &lines, &[KEY])
}

fn mark_of(prompt: &str) -> String {
    format!("{MARK} {:016x}", fingerprint(prompt.replace("\r\n", "\n").as_bytes()))
}

fn escaped(prompt: &str) -> String {
    prompt.replace('\\', "\\\\").replace("\"\"\"", "\"\"\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::toml_keys::value_at;

    #[test]
    fn our_prompt_goes_in_once_and_leaves_no_trace() {
        for text in ["", "model = \"x\"\n", "# mine\n[t]\na = 1", "\u{feff}model = 'x'\r\n[t]\r\n"] {
            let added = install(text).unwrap();
            assert_eq!(standing(&added.text), Ok(PromptStanding::UpToDate), "{}", added.text);
            assert_eq!(install(&added.text).unwrap().outcome, EditOutcome::Unchanged);
            let value = parse(&added.text).unwrap();
            let said = value_at(&value, &[KEY]).and_then(|value| value.as_str().map(str::to_owned));
            assert_eq!(said.as_deref(), Some(prompt().as_str()));
            assert_eq!(uninstall(&added.text).unwrap().text, text);
        }
    }

    #[test]
    fn a_prompt_of_somebodys_own_stays() {
        for text in ["compact_prompt = \"mine\"\n", "experimental_compact_prompt_file = \"a.md\"\n"] {
            assert!(install(text).unwrap_err().what.contains("not ours"));
            assert_eq!(uninstall(text).unwrap().text, text);
        }
    }

    #[test]
    fn what_another_version_wrote_is_brought_up_to_date() {
        let older = format!("{}\ncompact_prompt = \"Older.\"\nmodel = \"x\"\n", mark_of("Older."));
        assert_eq!(standing(&older), Ok(PromptStanding::Outdated));
        let edit = install(&older).unwrap();
        assert_eq!(uninstall(&edit.text).unwrap().text, "model = \"x\"\n");
        let edited = older.replace("Older.", "Mine.");
        assert_eq!(standing(&edited), Ok(PromptStanding::Edited));
        assert_eq!(uninstall(&edited).unwrap().text, "model = \"x\"\n");
    }

    #[test]
    fn the_prompt_asks_for_the_hand_over_and_stays_short() {
        let prompt = prompt();
        assert!(prompt.contains("\"Hand-over\"") && prompt.len() < 4_000, "{}", prompt.len());
    }
}
