//! Edit: puts our hooks and status line into a settings text and takes them out again, byte for byte.

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::comments::Grammar;
use super::hook_entry::HookEntry;
use super::json_spans::{self, Member, Node};
use super::json_splice::{Layout, Removal, Splice, Style};
use super::our_entry::{OurHook, ProgramOf, our_hook_by, our_status_line, program_of, status_line_command};
pub use super::problem::SettingsProblem;

/// A longer text is no settings file of a person.
const SETTINGS_BYTES_MAX: usize = throughline_domain::limits::SETTINGS_BYTES_MAX;
// Each edit reads the text anew. A file that needs more was made by something that went wrong.
const EDITS_MAX: usize = 400;

/// What to install.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The hooks, in the order in which they are written.
    pub hooks: Vec<HookEntry>,
    /// Every event that this or another version registers with this client.
    pub events: Vec<&'static str>,
    /// Our status line; `None` where the client has none that runs a program.
    pub status_line: Option<StatusLine>,
    /// What the client reads there.
    pub form: FileForm,
}

/// Our status line in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusLine {
    /// The binary to call.
    pub binary: String,
    /// Whether to bring it. One of ours that is there already is kept up to date either way.
    pub is_brought: bool,
}

/// What a client takes for a settings file.
#[derive(Clone, Copy, Debug)]
pub struct FileForm {
    /// What it takes for JSON.
    pub grammar: Grammar,
    /// The only names that it knows in the outermost object; empty where it leaves others alone.
    pub only_names: &'static [&'static str],
    /// Whether it reads a file that begins with a byte order mark.
    pub takes_byte_order_mark: bool,
    /// The program that a command line there names, if it is ours.
    pub program: ProgramOf,
}

/// Plain JSON, with whatever names.
pub const PLAIN: FileForm =
    FileForm { grammar: Grammar::Strict, only_names: &[], takes_byte_order_mark: true, program: program_of };

/// The text after an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The whole new text.
    pub text: String,
    /// What it means for the file.
    pub outcome: EditOutcome,
}

/// What an edit means for the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditOutcome {
    /// Nothing to do: the text is as it was.
    Unchanged,
    /// The text differs and wants to be written.
    Rewritten,
    /// Nothing is left but the empty object we had created: the file can be deleted.
    NothingLeft,
}

/// Merges our hooks (and the status line) into a settings text; `None` when there is no file yet.
///
/// Everything foreign keeps its bytes. Entries of ours from an earlier version are brought up to date where they
/// stand; a second run changes nothing.
pub fn install(text: Option<&str>, wanted: &Wanted) -> Result<Edit, SettingsProblem> {
    let given = text.unwrap_or("");
    let (mark, body) = split_byte_order_mark(given);
    if !mark.is_empty() && !wanted.form.takes_byte_order_mark {
        let hint = "save it as UTF-8 without one and run this again";
        return Err(SettingsProblem::at(
            "",
            0,
            "begins with a byte order mark: the client cannot read it",
            hint,
        ));
    }
    if body.len() <= SETTINGS_BYTES_MAX && body.bytes().all(json_spans::is_blank) {
        let end = if text.is_none() { "\n" } else { "" };
        let text = format!("{mark}{body}{}{end}", new_file(body, wanted));
        return Ok(Edit { text, outcome: EditOutcome::Rewritten });
    }
    let edited = until_settled(body, wanted.form.grammar, |body, root| {
        check_shape(body, root, wanted)?;
        Ok(match next_addition(body, root, wanted) {
            // All there was were entries of ours that this client has no use for.
            Some(Change::WholeFile) => {
                Some(Change::Splice(Splice::new(root.span.clone(), new_file("", wanted))))
            }
            other => other,
        })
    })?;
    Ok(compared(given, format!("{mark}{}", edited.text)))
}

/// Takes our hooks and status line out of a settings text, and what became empty because of that; gives a wrapped
/// status line back to its owner.
pub fn uninstall(text: &str, form: &FileForm) -> Result<Edit, SettingsProblem> {
    let (mark, body) = split_byte_order_mark(text);
    if body.bytes().all(json_spans::is_blank) {
        return Ok(Edit { text: text.to_owned(), outcome: EditOutcome::Unchanged });
    }
    let edited = until_settled(body, form.grammar, |body, root| {
        check_unique_keys(body, root, "the settings")?;
        if let Some(hooks) = root.get("hooks") {
            check_unique_keys(body, hooks, "\"hooks\"")?;
        }
        Ok(next_removal(body, root, form.program))
    })?;
    Ok(taken_out(text, mark, &edited))
}

/// What a text is once everything of ours was taken out of it.
pub(crate) fn taken_out(text: &str, mark: &str, edited: &Settled) -> Edit {
    let Some(root) = &edited.whole_file else { return compared(text, format!("{mark}{}", edited.text)) };
    // Ours was all there was, in an object that we made: `new_file` tells the three ways that can have begun.
    let before = edited.text.get(..root.start).unwrap_or("");
    let after = edited.text.get(root.end..).unwrap_or("");
    let as_we_write_it = edited.text.get(root.start + 1..).is_some_and(|rest| rest.starts_with(['\n', '\r']));
    if after.is_empty() && as_we_write_it && before.bytes().all(json_spans::is_blank) {
        return compared(text, format!("{mark}{before}"));
    }
    let left = format!("{mark}{before}{{}}{after}");
    // Somebody's comments around it are something.
    let is_nothing = [before, after].iter().all(|around| around.bytes().all(json_spans::is_blank));
    if is_nothing { Edit { text: left, outcome: EditOutcome::NothingLeft } } else { compared(text, left) }
}

/// The next thing to do to a text.
pub(crate) enum Change {
    Splice(Splice),
    /// Nothing foreign is left, and the outermost object is one that we made.
    WholeFile,
}

/// A text to which nothing is left to do.
pub(crate) struct Settled {
    pub(crate) text: String,
    /// Where the outermost object stands, when all of it is ours and has to go.
    pub(crate) whole_file: Option<Range<usize>>,
}

pub(crate) fn compared(before: &str, after: String) -> Edit {
    let outcome = if before == after { EditOutcome::Unchanged } else { EditOutcome::Rewritten };
    Edit { text: after, outcome }
}

pub(crate) fn split_byte_order_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

/// Applies one edit at a time until none is left to make: doing it again then changes nothing by construction.
pub(crate) fn until_settled(
    body: &str,
    grammar: Grammar,
    next: impl Fn(&str, &Node) -> Result<Option<Change>, SettingsProblem>,
) -> Result<Settled, SettingsProblem> {
    if body.len() > SETTINGS_BYTES_MAX {
        return Err(SettingsProblem::at("", 0, "larger than 4 MiB", "is this really a settings file?"));
    }
    let mut text = body.to_owned();
    for _ in 0..EDITS_MAX {
        let root = json_spans::parse_as(&text, grammar)?;
        if root.members().is_none() {
            let hint = "a settings file is one JSON object: { … }";
            return Err(SettingsProblem::at(&text, root.span.start, "not a JSON object", hint));
        }
        match next(&text, &root)? {
            Some(Change::Splice(splice)) => text = splice.apply(&text),
            Some(Change::WholeFile) => return Ok(Settled { text, whole_file: Some(root.span) }),
            None => return Ok(Settled { text, whole_file: None }),
        }
    }
    let hint = "remove the repeated throughline entries by hand";
    Err(SettingsProblem::at("", 0, "too many entries of throughline", hint))
}

/// The object for a file that does not exist (the caller adds a line end), is empty, or holds only blanks (kept in
/// front of it).
fn new_file(blanks: &str, wanted: &Wanted) -> String {
    let mut root = Map::new();
    if !wanted.hooks.is_empty() {
        root.insert("hooks".to_owned(), hooks_object(&wanted.hooks));
    }
    if let Some(ours) = wanted.status_line.as_ref().filter(|ours| ours.is_brought) {
        root.insert("statusLine".to_owned(), status_line(&ours.binary));
    }
    rendered_whole(blanks, root)
}

pub(crate) fn rendered_whole(blanks: &str, root: Map<String, Value>) -> String {
    let empty = Node { span: 0..0, kind: json_spans::Kind::Other };
    Style::of(blanks, &empty).render(&Value::Object(root), &Layout::Lines(String::new()))
}

fn hooks_object(wanted: &[HookEntry]) -> Value {
    wanted.iter().map(|entry| (entry.event.to_owned(), json!([entry.group()]))).collect::<Map<_, _>>().into()
}

fn status_line(binary: &str) -> Value {
    json!({"type": "command", "command": status_line_command(binary, None)})
}

/// One of our handlers, with the way to it.
struct OurHandler<'n> {
    event: &'n Member,
    group_at: usize,
    group: &'n Node,
    handlers: &'n Member,
    handler_at: usize,
    handler: &'n Node,
}

/// All handlers of ours, whatever the event and the company.
fn ours_in<'n>(body: &str, root: &'n Node, program: ProgramOf) -> Vec<OurHandler<'n>> {
    let mut found = Vec::new();
    for event in root.get("hooks").and_then(Node::members).unwrap_or_default() {
        for (group_at, group) in event.value.elements().unwrap_or_default().iter().enumerate() {
            let Some(handlers) = group.member("hooks") else { continue };
            for (handler_at, handler) in handlers.value.elements().unwrap_or_default().iter().enumerate() {
                if handler.value(body).as_object().is_some_and(|it| our_hook_by(it, program).is_some()) {
                    found.push(OurHandler { event, group_at, group, handlers, handler_at, handler });
                }
            }
        }
    }
    found
}

fn next_addition(body: &str, root: &Node, wanted: &Wanted) -> Option<Change> {
    let style = Style::of(body, root);
    let found = ours_in(body, root, wanted.form.program);
    let mut seen: Vec<&str> = Vec::new();
    for one in &found {
        let entry = wanted.hooks.iter().find(|entry| entry.event == one.event.name);
        match entry {
            Some(entry) if !seen.contains(&one.event.name.as_str()) => {
                seen.push(&one.event.name);
                if let Some(splice) = upgrade(body, &style, one, entry) {
                    return Some(Change::Splice(splice));
                }
            }
            // An event this client does not know (any more), or a second entry for the same event.
            _ => return Some(remove_handler(&style, root, one)),
        }
    }
    if let Some(entry) = wanted.hooks.iter().find(|entry| !seen.contains(&entry.event)) {
        let Some(hooks) = root.member("hooks") else {
            return Some(Change::Splice(style.append(
                root,
                None,
                Some("hooks"),
                &hooks_object(&wanted.hooks),
            )));
        };
        return Some(Change::Splice(if let Some(event) = hooks.value.member(entry.event) {
            style.append(&event.value, Some(event.name_span.start), None, &entry.group())
        } else {
            let owner = Some(hooks.name_span.start);
            style.append(&hooks.value, owner, Some(entry.event), &json!([entry.group()]))
        }));
    }
    next_status_line(body, &style, root, wanted.status_line.as_ref()?).map(Change::Splice)
}

fn upgrade(body: &str, style: &Style<'_>, one: &OurHandler<'_>, entry: &HookEntry) -> Option<Splice> {
    if let (Some(matcher), true) = (entry.matcher, one.stands_alone()) {
        match one.group.get("matcher") {
            Some(written) if written.string() == Some(matcher) => {}
            Some(written) => return Some(Splice::new(written.span.clone(), json!(matcher).to_string())),
            None => {
                let owner = Some(one.group.span.start);
                return Some(style.append(one.group, owner, Some("matcher"), &json!(matcher)));
            }
        }
    }
    let Value::Object(written) = one.handler.value(body) else { return None };
    let mut renewed = written.clone();
    // `async` would let the client end without waiting for what has to be saved.
    renewed.retain(|key, _| key != "async" && (key != "args" || entry.handler.contains_key("args")));
    for (key, value) in &entry.handler {
        renewed.insert(key.clone(), value.clone());
    }
    if renewed == written {
        return None;
    }
    let first = one.handler.children().first().map(|child| child.start);
    let layout = style.layout_at(one.handler.span.start, first);
    Some(Splice::new(one.handler.span.clone(), style.render(&Value::Object(renewed), &layout)))
}

fn next_status_line(body: &str, style: &Style<'_>, root: &Node, ours: &StatusLine) -> Option<Splice> {
    let Some(theirs) = root.get("statusLine") else {
        return ours
            .is_brought
            .then(|| style.append(root, None, Some("statusLine"), &status_line(&ours.binary)));
    };
    let command = theirs.get("command")?;
    let wanted = match our_status_line(command.string()?) {
        Some(present) => status_line_command(&ours.binary, present.wrapped_raw.as_deref()),
        None if ours.is_brought => status_line_command(&ours.binary, body.get(command.span.clone())),
        None => return None,
    };
    (command.string()? != wanted).then(|| Splice::new(command.span.clone(), json!(wanted).to_string()))
}

fn next_removal(body: &str, root: &Node, program: ProgramOf) -> Option<Change> {
    let style = Style::of(body, root);
    if let Some(one) = ours_in(body, root, program).last() {
        return Some(remove_handler(&style, root, one));
    }
    let command = root.get("statusLine")?.get("command")?;
    let ours = our_status_line(command.string()?)?;
    Some(match ours.wrapped_raw {
        Some(raw) => Change::Splice(Splice::new(command.span.clone(), raw)),
        None => remove_member(&style, root, "statusLine"),
    })
}

impl OurHandler<'_> {
    /// Whether the group is ours alone, so that it goes when the handler goes.
    fn stands_alone(&self) -> bool {
        let known = |member: &Member| matches!(member.name.as_str(), "matcher" | "hooks");
        self.handlers.value.children().len() == 1
            && self.group.members().unwrap_or_default().iter().all(known)
    }
}

fn remove_handler(style: &Style<'_>, root: &Node, one: &OurHandler<'_>) -> Change {
    if !one.stands_alone() {
        let owner = Some(one.handlers.name_span.start);
        return Change::Splice(match style.remove(&one.handlers.value, owner, one.handler_at) {
            Removal::Cut(splice) => splice,
            Removal::ContainerToo => Splice::new(one.handlers.value.span.clone(), "[]"),
        });
    }
    let owner = Some(one.event.name_span.start);
    if let Removal::Cut(splice) = style.remove(&one.event.value, owner, one.group_at) {
        return Change::Splice(splice);
    }
    let Some(hooks) = root.member("hooks") else { return Change::WholeFile };
    let events = hooks.value.members().unwrap_or_default();
    let at = events.iter().position(|event| event.name == one.event.name).unwrap_or_default();
    match style.remove(&hooks.value, Some(hooks.name_span.start), at) {
        Removal::Cut(splice) => Change::Splice(splice),
        Removal::ContainerToo => remove_member(style, root, "hooks"),
    }
}

pub(crate) fn remove_member(style: &Style<'_>, root: &Node, name: &str) -> Change {
    let at = root.members().unwrap_or_default().iter().position(|member| member.name == name);
    match style.remove(root, None, at.unwrap_or_default()) {
        Removal::Cut(splice) => Change::Splice(splice),
        Removal::ContainerToo => Change::WholeFile,
    }
}

/// Refuses what the client would not read as we do: better nothing written than hooks that never run.
fn check_shape(body: &str, root: &Node, wanted: &Wanted) -> Result<(), SettingsProblem> {
    let wrong = |node: &Node, what: String| {
        let hint = "correct the file by hand and run this again";
        Err(SettingsProblem::at(body, node.span.start, what, hint))
    };
    check_unique_keys(body, root, "the settings")?;
    let known = wanted.form.only_names;
    let is_unknown = |member: &&Member| !known.is_empty() && !known.contains(&member.name.as_str());
    if let Some(member) = root.members().unwrap_or_default().iter().find(is_unknown) {
        let what =
            format!("the client knows no {} here, and would ignore the whole file", json!(member.name));
        return Err(SettingsProblem::at(
            body,
            member.name_span.start,
            what,
            "take it out and run this again",
        ));
    }
    if let Some(hooks) = root.get("hooks") {
        let Some(events) = hooks.members() else {
            return wrong(hooks, "\"hooks\" is not an object".to_owned());
        };
        check_unique_keys(body, hooks, "\"hooks\"")?;
        for event in events.iter().filter(|event| wanted.events.contains(&event.name.as_str())) {
            let name = &event.name;
            let Some(groups) = event.value.elements() else {
                return wrong(&event.value, format!("\"{name}\" is not a list"));
            };
            for group in groups {
                let Some(handlers) = group.get("hooks").and_then(Node::elements) else {
                    return wrong(group, format!("an entry of \"{name}\" has no \"hooks\" list"));
                };
                check_unique_keys(body, group, &format!("an entry of \"{name}\""))?;
                for handler in handlers {
                    check_unique_keys(body, handler, &format!("a hook of \"{name}\""))?;
                }
            }
        }
    }
    if let Some(line) = root.get("statusLine") {
        check_unique_keys(body, line, "\"statusLine\"")?;
        if wanted.status_line.as_ref().is_some_and(|ours| ours.is_brought)
            && line.get("command").and_then(Node::string).is_none()
        {
            return wrong(line, "\"statusLine\" is not an object with a \"command\"".to_owned());
        }
    }
    Ok(())
}

pub(crate) fn check_unique_keys(body: &str, object: &Node, whose: &str) -> Result<(), SettingsProblem> {
    let mut names = std::collections::HashSet::new();
    for member in object.members().unwrap_or_default() {
        if !names.insert(member.name.as_str()) {
            let what = format!("{whose} has the key {} twice", json!(member.name));
            let hint = "keep one of the two and run this again";
            return Err(SettingsProblem::at(body, member.name_span.start, what, hint));
        }
    }
    Ok(())
}

/// Our hooks in a settings text, by their events, in the order in which they stand there.
#[must_use]
pub fn registered(text: &str, form: &FileForm) -> Vec<(String, OurHook)> {
    let (_, body) = split_byte_order_mark(text);
    let Ok(root) = json_spans::parse_as(body, form.grammar) else { return Vec::new() };
    let found = ours_in(body, &root, form.program).into_iter();
    let hooks = found.filter_map(|one| {
        let hook = our_hook_by(one.handler.value(body).as_object()?, form.program)?;
        Some((one.event.name.clone(), hook))
    });
    hooks.collect()
}
