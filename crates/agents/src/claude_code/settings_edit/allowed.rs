//! Allowed: our rules in `permissions.allow` of a settings text, put in and taken out again, byte for byte.

use serde_json::json;

use crate::settings::comments::Grammar;
use crate::settings::edit::{
    Change, Edit, EditOutcome, SettingsProblem, check_unique_keys, compared, remove_member,
    split_byte_order_mark, until_settled,
};
use crate::settings::json_spans::{self, Node};
use crate::settings::json_splice::{Removal, Splice, Style};

const SECTION: &str = "permissions";
const LIST: &str = "allow";

/// Rules that `init` offers: with them the agent records and hands over without asking each time.
#[must_use]
pub fn offered_permissions() -> [&'static str; 9] {
    [
        "Bash(throughline add:*)",
        "Bash(throughline resolve:*)",
        "Bash(throughline note:*)",
        "Bash(throughline list:*)",
        "Bash(throughline next:*)",
        "Bash(throughline compact-focus:*)",
        "Bash(throughline save:*)",
        "Bash(throughline handover:*)",
        "mcp__throughline",
    ]
}

/// Puts the rules that are missing into the settings of somebody who has an object there. Gives the edit, and the rules that
/// were missing.
pub fn allow(text: &str, rules: &[&str]) -> Result<(Edit, Vec<String>), SettingsProblem> {
    let (mark, body) = split_byte_order_mark(text);
    let missing: Vec<&str> = {
        let root = json_spans::parse(body)?;
        let standing = listed(&root).into_iter().filter_map(Node::string).collect::<Vec<_>>();
        rules.iter().copied().filter(|rule| !standing.contains(rule)).collect()
    };
    let edited = until_settled(body, Grammar::Strict, |body, root| {
        check(body, root)?;
        let standing: Vec<&str> = listed(root).into_iter().filter_map(Node::string).collect();
        let Some(rule) = missing.iter().find(|rule| !standing.contains(rule)) else { return Ok(None) };
        Ok(Some(Change::Splice(addition(body, root, rule))))
    })?;
    let missing = missing.into_iter().map(str::to_owned).collect();
    Ok((compared(text, format!("{mark}{}", edited.text)), missing))
}

/// Takes rules out again that were put in, and what became empty because of that.
pub fn disallow(text: &str, rules: &[String]) -> Result<Edit, SettingsProblem> {
    let (mark, body) = split_byte_order_mark(text);
    if rules.is_empty() || body.bytes().all(json_spans::is_blank) {
        return Ok(Edit { text: text.to_owned(), outcome: EditOutcome::Unchanged });
    }
    let edited = until_settled(body, Grammar::Strict, |body, root| {
        check(body, root)?;
        Ok(removal(body, root, rules))
    })?;
    // Ours was all there was: whoever takes our hooks out finds an empty object, as if it had been written so.
    if let Some(root) = &edited.whole_file {
        let (before, after) = (edited.text.get(..root.start), edited.text.get(root.end..));
        let text = format!("{mark}{}{{}}{}", before.unwrap_or(""), after.unwrap_or(""));
        return Ok(Edit { text, outcome: EditOutcome::Rewritten });
    }
    Ok(compared(text, format!("{mark}{}", edited.text)))
}

fn listed(root: &Node) -> Vec<&Node> {
    let list = root.get(SECTION).and_then(|section| section.get(LIST)).and_then(Node::elements);
    list.map(|list| list.iter().collect()).unwrap_or_default()
}

fn addition(body: &str, root: &Node, rule: &str) -> Splice {
    let style = Style::of(body, root);
    let Some(section) = root.member(SECTION) else {
        return style.append(root, None, Some(SECTION), &json!({ LIST: [rule] }));
    };
    let owner = Some(section.name_span.start);
    match section.value.member(LIST) {
        Some(list) => style.append(&list.value, Some(list.name_span.start), None, &json!(rule)),
        None => style.append(&section.value, owner, Some(LIST), &json!([rule])),
    }
}

/// The last of our rules first: so the text becomes again what it was, step by step.
fn removal(body: &str, root: &Node, rules: &[String]) -> Option<Change> {
    let section = root.member(SECTION)?;
    let list = section.value.member(LIST)?;
    let is_ours = |node: &Node| node.string().is_some_and(|rule| rules.iter().any(|ours| ours == rule));
    let at = list.value.elements()?.iter().rposition(is_ours)?;
    let style = Style::of(body, root);
    if let Removal::Cut(splice) = style.remove(&list.value, Some(list.name_span.start), at) {
        return Some(Change::Splice(splice));
    }
    let members = section.value.members()?;
    let at = members.iter().position(|member| member.name == LIST)?;
    Some(match style.remove(&section.value, Some(section.name_span.start), at) {
        Removal::Cut(splice) => Change::Splice(splice),
        Removal::ContainerToo => remove_member(&style, root, SECTION),
    })
}

fn check(body: &str, root: &Node) -> Result<(), SettingsProblem> {
    let wrong = |node: &Node, what: String| {
        let hint = "correct the file by hand and run this again";
        Err(SettingsProblem::at(body, node.span.start, what, hint))
    };
    check_unique_keys(body, root, "the settings")?;
    let Some(section) = root.get(SECTION) else { return Ok(()) };
    if section.members().is_none() {
        return wrong(section, format!("\"{SECTION}\" is not an object"));
    }
    check_unique_keys(body, section, &format!("\"{SECTION}\""))?;
    match section.get(LIST) {
        Some(list) if list.elements().is_none() => wrong(list, format!("\"{LIST}\" is not a list")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::ours;
    use super::super::{install, uninstall};
    use super::*;

    /// As `init --allow` and `uninstall` do it, twice over.
    fn round_trip(text: &str) {
        let installed = install(Some(text), &ours(true)).unwrap().text;
        let (first, added) = allow(&installed, &offered_permissions()).unwrap();
        for rule in offered_permissions() {
            assert!(first.text.contains(rule), "{}", first.text);
        }
        let (again, none) = allow(&first.text, &offered_permissions()).unwrap();
        assert_eq!((again.outcome, none.len()), (EditOutcome::Unchanged, 0));
        let back = disallow(&first.text, &added).unwrap();
        assert_eq!(uninstall(&back.text).unwrap().text, text, "{}", first.text);
    }

    #[test]
    fn rules_come_and_go_without_a_trace() {
        for text in [
            "{}",
            "{ }\n",
            "{\n  \"model\": \"opus\"\n}\n",
            "{\"permissions\": {\"allow\": [\"Bash(ls:*)\"], \"deny\": []}}",
            "{\n\t\"permissions\": {\n\t\t\"deny\": [\"Read(.env)\"]\n\t}\n}\n",
            "{\n  \"permissions\": {\n    \"allow\": []\n  }\n}",
            "{\n  \"permissions\": {}\n}",
        ] {
            round_trip(text);
        }
    }

    #[test]
    fn a_rule_that_somebody_wrote_before_is_theirs() {
        let text = "{\"permissions\": {\"allow\": [\"Bash(throughline add:*)\"]}}";
        let (edit, added) = allow(text, &offered_permissions()).unwrap();
        assert_eq!(added.len(), offered_permissions().len() - 1);
        assert_eq!(disallow(&edit.text, &added).unwrap().text, text);
        for broken in ["{\"permissions\": []}", "{\"permissions\": {\"allow\": {}}}", "[]", "{"] {
            assert!(allow(broken, &offered_permissions()).is_err(), "{broken}");
        }
    }
}
