//! Approval: what the client's answer about hooks means for ours, in words.

use super::hook_trust::{HookList, KnownHook, Trust};
use crate::settings::our_entry::program_of;
use crate::setup::Verdict;

const APPROVE: &str =
    "start `codex` here and answer \"Hooks need review\" (or type /hooks): only you can approve them";

/// What the client will do with our hooks, of which `registered` stand in its files.
#[must_use]
pub fn judge(list: &HookList, registered: usize) -> Vec<Verdict> {
    let mut verdicts: Vec<Verdict> = list
        .errors
        .iter()
        .chain(&list.warnings)
        .map(|said| Verdict::warn(format!("it says: {said}"), "correct the file that it names"))
        .collect();
    let ours: Vec<&KnownHook> =
        list.hooks.iter().filter(|hook| program_of(&hook.command).is_some()).collect();
    if ours.is_empty() {
        let what = format!(
            "it knows none of our {registered} hooks: it reads a project's only once that is trusted"
        );
        let remedy =
            "start `codex` here and trust the project; if it is, look for `hooks = false` in its config.toml";
        verdicts.push(Verdict::fail(what, remedy));
        return verdicts;
    }
    let off = events(&ours, |hook| !hook.is_enabled);
    if !off.is_empty() {
        verdicts.push(Verdict::warn(
            format!("switched off: {}", off.join(", ")),
            "type /hooks in `codex` to switch them on",
        ));
    }
    let waiting = events(&ours, |hook| hook.is_enabled && !hook.runs() && hook.trust != Trust::Modified);
    if !waiting.is_empty() {
        let what = format!("not approved, so it skips them without a word: {}", waiting.join(", "));
        // Where some run the work is remembered in part.
        let is_all = waiting.len() == ours.len();
        verdicts.push(if is_all { Verdict::fail(what, APPROVE) } else { Verdict::warn(what, APPROVE) });
    }
    let changed = events(&ours, |hook| hook.is_enabled && hook.trust == Trust::Modified);
    if !changed.is_empty() {
        let what = format!("changed since you approved them, so it skips them: {}", changed.join(", "));
        verdicts.push(Verdict::fail(what, APPROVE));
    }
    if verdicts.is_empty() {
        verdicts.push(Verdict::Runs(format!("all {} hooks are approved", ours.len())));
    }
    verdicts
}

fn events<'h>(hooks: &[&'h KnownHook], is_meant: impl Fn(&KnownHook) -> bool) -> Vec<&'h str> {
    hooks.iter().filter(|hook| is_meant(hook)).map(|hook| hook.event.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(event: &str, trust: Trust, is_enabled: bool) -> KnownHook {
        KnownHook {
            event: event.to_owned(),
            command: "'/opt/throughline' hook --agent codex".to_owned(),
            file: "/home/me/.codex/hooks.json".to_owned(),
            is_enabled,
            trust,
            context_limit: None,
        }
    }

    fn judged(hooks: Vec<KnownHook>) -> Vec<Verdict> {
        judge(&HookList { hooks, ..HookList::default() }, 2)
    }

    #[test]
    fn what_nobody_approved_is_named() {
        let both = vec![hook("stop", Trust::Untrusted, true), hook("sessionStart", Trust::Unknown, true)];
        let [Verdict::Fail { what, remedy }] = &judged(both)[..] else { panic!() };
        assert!(what.contains("stop, sessionStart") && remedy.contains("/hooks"), "{what} {remedy}");
        let one = vec![hook("stop", Trust::Untrusted, true), hook("sessionStart", Trust::Trusted, true)];
        assert!(matches!(&judged(one)[..], [Verdict::Warn { .. }]));
        let changed = vec![hook("stop", Trust::Modified, true), hook("sessionStart", Trust::Trusted, false)];
        assert!(matches!(&judged(changed)[..], [Verdict::Warn { .. }, Verdict::Fail { .. }]));
        let good = vec![hook("stop", Trust::Managed, true), hook("sessionStart", Trust::Trusted, true)];
        assert_eq!(judged(good), [Verdict::Runs("all 2 hooks are approved".to_owned())]);
    }

    #[test]
    fn hooks_that_the_client_does_not_know_are_told() {
        let mut foreign = hook("stop", Trust::Trusted, true);
        foreign.command = "echo hi".to_owned();
        let [Verdict::Fail { what, .. }] = &judged(vec![foreign])[..] else { panic!() };
        assert!(what.contains("none of our 2 hooks"), "{what}");
        let list = HookList { errors: vec!["/p/hooks.json: no JSON".to_owned()], ..HookList::default() };
        assert!(matches!(&judge(&list, 2)[..], [Verdict::Warn { .. }, Verdict::Fail { .. }]));
    }
}
