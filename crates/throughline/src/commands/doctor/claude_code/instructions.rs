//! Compact Instructions: whether CLAUDE.md holds our section, and whether it is as this version writes it.

use throughline_agents::claude_code::compact_instructions::{COMPACT_INSTRUCTIONS, SectionStanding};

use crate::commands::claude_code::instructions::{of_project, of_user};
use crate::commands::doctor::Check;
use crate::commands::doctor::context::Context;
use crate::commands::setup::sections::Candidate;

const NAME: &str = "instructions";

pub(in crate::commands::doctor) fn check(context: &Context) -> Vec<Check> {
    let files = of_user(&context.place).into_iter().chain(of_project(&context.memory));
    let found: Vec<Check> = files.filter_map(|file| of_file(&file)).collect();
    if found.is_empty() {
        return vec![Check::skip(
            NAME,
            "CLAUDE.md has no Compact Instructions; throughline init writes them",
        )];
    }
    found
}

fn of_file(file: &Candidate) -> Option<Check> {
    let name = file.path.display();
    if let Err(why) = &file.text {
        let remedy = "throughline init leaves such a file alone; put the section into another CLAUDE.md, or do without";
        return Some(Check::warn(NAME, why, remedy));
    }
    Some(match file.standing(&COMPACT_INSTRUCTIONS)? {
        SectionStanding::Absent => return None,
        SectionStanding::UpToDate => {
            Check::ok(NAME, format!("{name} has our Compact Instructions, up to date"))
        }
        SectionStanding::Foreign { line } => {
            Check::ok(NAME, format!("{name}, line {line}: Compact Instructions of your own, none of ours"))
        }
        SectionStanding::Outdated => Check::warn(
            NAME,
            format!("{name} has Compact Instructions of another version"),
            "run throughline init: it brings them up to date",
        ),
        SectionStanding::Edited => Check::warn(
            NAME,
            format!("{name}: our Compact Instructions were edited"),
            "put your words outside the marks; throughline init writes ours anew and keeps a copy",
        ),
        SectionStanding::Damaged { line, what } => Check::warn(
            NAME,
            format!("{name}, line {line}: {what}"),
            "remove the mark, then run throughline init",
        ),
    })
}
