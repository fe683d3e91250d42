//! Repairs of the state file, in words: for the agent that a hook answers, or for a person at a terminal.

use throughline_store::memory::Repair;

use crate::waiting;

/// Who is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Gets whole sentences, of what the user has to hear of alone, without paths of this machine.
    Agent,
    /// Gets a warning for everything, with the way out.
    Person,
}

/// What was mended; `None` for what does not concern whoever is told.
pub(crate) fn words(repair: &Repair, audience: Audience) -> Option<String> {
    use Audience::{Agent, Person};
    let said = match (repair, audience) {
        (Repair::SetAside { why, aside, rebuilt }, _) => {
            let kept = match audience {
                Agent => aside.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                Person => aside.display(),
            };
            format!(
                "the state file could not be read ({why}); it was kept as {kept} and {rebuilt} entries were rebuilt"
            )
        }
        (Repair::Rebuilt { rebuilt }, _) => {
            let more = match audience {
                Agent => "from the archive",
                Person => "(`throughline fresh` starts empty)",
            };
            format!("the state file was gone; {rebuilt} entries were rebuilt {more}")
        }
        (
            Repair::HandEdit { .. }
            | Repair::Waits { .. }
            | Repair::KeptAside { .. }
            | Repair::Upgraded { .. }
            | Repair::Kept(_),
            Agent,
        ) => return None,
        (Repair::HandEdit { added, removed, changed }, Person) => {
            format!("the state file was edited by hand: {added} added, {removed} removed, {changed} changed")
        }
        (Repair::Waits { .. }, Person) => format!(
            "the state file was changed by another hand; what was recorded stays in force ({})",
            waiting::way_out()
        ),
        (Repair::KeptAside { aside }, Person) => format!(
            "the other version of the state file is kept as {} ({})",
            aside.file_name().unwrap_or_default().to_string_lossy(),
            waiting::way_out()
        ),
        (Repair::Upgraded { from }, Person) => format!("the state file was upgraded from version {from}"),
        (Repair::Kept(problem), Person) => format!("{problem}; nothing was dropped"),
    };
    Some(match audience {
        Agent => format!("T{}. Tell the user.", said.trim_start_matches('t')),
        Person => said,
    })
}

#[cfg(test)]
mod tests {
    use throughline_store::door::Spot;

    use super::*;

    #[test]
    fn an_agent_is_told_what_the_user_must_hear_and_a_person_everything() {
        let aside = Spot::root("/home/me/.claude").join("state.json.broken-1");
        let broken = Repair::SetAside { why: "no JSON".to_owned(), aside, rebuilt: 3 };
        for (repair, audience, expected) in [
            (
                &broken,
                Audience::Agent,
                Some(
                    "The state file could not be read (no JSON); it was kept as state.json.broken-1 and 3 entries were rebuilt. Tell the user.",
                ),
            ),
            (
                &broken,
                Audience::Person,
                Some(
                    "the state file could not be read (no JSON); it was kept as /home/me/.claude/state.json.broken-1 and 3 entries were rebuilt",
                ),
            ),
            (
                &Repair::Rebuilt { rebuilt: 3 },
                Audience::Agent,
                Some("The state file was gone; 3 entries were rebuilt from the archive. Tell the user."),
            ),
            (
                &Repair::Rebuilt { rebuilt: 3 },
                Audience::Person,
                Some("the state file was gone; 3 entries were rebuilt (`throughline fresh` starts empty)"),
            ),
            (&Repair::Upgraded { from: "1.0.0".to_owned() }, Audience::Agent, None),
            (
                &Repair::Upgraded { from: "1.0.0".to_owned() },
                Audience::Person,
                Some("the state file was upgraded from version 1.0.0"),
            ),
        ] {
            assert_eq!(words(repair, audience).as_deref(), expected);
        }
    }
}
