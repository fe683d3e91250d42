//! Files: which were changed, read, searched or spoken of, and what was done to them.

use throughline_domain::ledger::{FileUse, HALF_LIFE_TURNS, Ledger, TranscriptPlace};
use throughline_domain::text::{one_line, utf16_len};
use throughline_domain::transcript::{Tool, ToolCall};

use crate::{bounds, contents, head, paths};

const DID_UNITS_MAX: usize = 72;

/// How something was used. One table of weights for files and names: what the agent changed it comes back to; what it
/// looked at it may; what it named in passing it seldom does, while the user names what matters to him.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Edit,
    Read,
    Search,
    Command,
    User,
    Agent,
}

impl Role {
    pub(crate) fn weight(self) -> f64 {
        match self {
            Self::Edit => 3.0,
            Self::User => 1.5,
            Self::Read => 1.0,
            Self::Command => 0.8,
            Self::Search => 0.5,
            Self::Agent => 0.4,
        }
    }
}

/// A tool was given a file. Gives the file as it was known before.
pub(crate) fn used_by_tool(
    ledger: &mut Ledger,
    call: &ToolCall<'_>,
    cwd: Option<&str>,
    place: TranscriptPlace,
) -> Option<FileUse> {
    let raw = call.path.as_deref()?;
    let role = match call.tool {
        Tool::Edit | Tool::Write => Role::Edit,
        Tool::Read => Role::Read,
        _ => Role::Search,
    };
    let path = match role {
        // A search is given folders, too.
        Role::Search => paths::of_word(&ledger.folders, cwd, raw),
        _ => paths::of_tool(&ledger.folders, cwd, raw),
    };
    let path = path?;
    let turn = ledger.turn;
    let known = ledger.files.iter().rfind(|file| file.path == path).cloned();
    let former = known.unwrap_or_else(|| FileUse { path: path.clone(), ..FileUse::default() });
    let file = touch(ledger, path, role, place);
    if role == Role::Edit {
        let written = call.written.as_deref().or(call.text.as_deref()).unwrap_or_default();
        let replaced = call.written.as_ref().and(call.text.as_deref()).unwrap_or_default();
        contents::add(&mut file.holds, contents::defined(&file.path, written, replaced));
    }
    match call.tool {
        Tool::Write => {
            file.created = file.created || (file.edits == 0 && file.reads == 0);
            file.did = if file.created { "created".to_owned() } else { "rewritten".to_owned() };
        }
        Tool::Edit => {
            if let Some(what) = call.text.as_deref().and_then(telling_line) {
                file.did = what;
            }
        }
        _ => {}
    }
    match role {
        Role::Edit => {
            file.edits = file.edits.saturating_add(1);
            file.edited_turn = Some(turn);
        }
        Role::Read => file.reads = file.reads.saturating_add(1),
        _ => file.mentions = file.mentions.saturating_add(1),
    }
    Some(former)
}

/// A change did not come about: the file is known again as it was before.
pub(crate) fn put_back(ledger: &mut Ledger, former: FileUse) {
    let Some(at) = ledger.files.iter().rposition(|file| file.path == former.path) else { return };
    if former.edits + former.reads + former.mentions == 0 {
        ledger.files.remove(at);
    } else {
        ledger.files[at] = former;
    }
}

/// Files named in a text or a command line; each counts once.
pub(crate) fn mentioned(
    ledger: &mut Ledger,
    text: &str,
    role: Role,
    cwd: Option<&str>,
    place: TranscriptPlace,
) {
    let mut seen: Vec<String> = Vec::new();
    for word in paths::words(text) {
        let Some(path) = paths::of_word(&ledger.folders, cwd, word) else { continue };
        if !seen.contains(&path) {
            seen.push(path.clone());
            let file = touch(ledger, path, role, place);
            file.mentions = file.mentions.saturating_add(1);
        }
        if seen.len() >= bounds::FILES_PER_TEXT_MAX {
            break;
        }
    }
}

/// The file's entry, with its weight raised. What was only said is taken for the one file that it can be.
fn touch(ledger: &mut Ledger, path: String, role: Role, place: TranscriptPlace) -> &mut FileUse {
    let is_given = matches!(role, Role::Edit | Role::Read | Role::Search);
    let known = ledger.files.iter().rposition(|file| file.path == path);
    let known = known.or_else(|| if is_given { None } else { longer(&ledger.files, &path) });
    let at = known.or_else(|| shorter(&ledger.files, &path)).unwrap_or_else(|| {
        ledger.files.push(FileUse { first: place, ..FileUse::default() });
        ledger.files.len() - 1
    });
    let file = &mut ledger.files[at];
    // A bare name that was said first gets its folder now.
    if path.len() > file.path.len() {
        file.path = path;
    }
    file.weight.add(role.weight(), place.turn, HALF_LIFE_TURNS);
    file.last = place;
    file
}

/// The only file whose path ends with what was said.
fn longer(files: &[FileUse], said: &str) -> Option<usize> {
    let mut owners = (0..files.len()).filter(|at| ends_with_name(&files[*at].path, said));
    let found = owners.next()?;
    owners.next().is_none().then_some(found)
}

/// An entry that was only said, and can be this file: none other has its name.
fn shorter(files: &[FileUse], path: &str) -> Option<usize> {
    let at = files
        .iter()
        .position(|file| file.edits == 0 && file.reads == 0 && ends_with_name(path, &file.path))?;
    let is_shared = files.iter().any(|file| ends_with_name(&file.path, &files[at].path));
    (!is_shared).then_some(at)
}

fn ends_with_name(path: &str, name: &str) -> bool {
    path.len() > name.len() && path.ends_with(name) && path.as_bytes()[path.len() - name.len() - 1] == b'/'
}

/// Of a changed text, the line that says where: the first that defines something, else the first that says anything.
fn telling_line(text: &str) -> Option<String> {
    const DEFINES: &[&str] = &[
        "fn ",
        "func ",
        "def ",
        "class ",
        "struct ",
        "enum ",
        "trait ",
        "impl ",
        "interface ",
        "type ",
        "function ",
        "module ",
        "const ",
        "pub ",
        "export ",
        "public ",
        "private ",
        "protected ",
        "static ",
        "async ",
        "#",
        "resource ",
        "message ",
    ];
    let text = head(text, 4_000);
    let lines = || {
        text.lines().map(str::trim).filter(|line| line.chars().filter(|c| c.is_alphanumeric()).count() >= 4)
    };
    let line =
        lines().find(|line| DEFINES.iter().any(|word| line.starts_with(word))).or_else(|| lines().next())?;
    let line = one_line(line, DID_UNITS_MAX);
    (utf16_len(&line) >= 4).then_some(line)
}
