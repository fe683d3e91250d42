//! Standing: whether the client runs our hooks in a folder, in words.

use super::hook_table::{HOOK_NAME, our_program};
use super::trust::{FolderTrust, HookSwitches, TrustInputs, TrustSource, folder_trust};
use crate::setup::{FolderQuestion, Verdict};

const ASK: &str = "start `gemini` here and answer its question about this folder, or type /permissions";

/// What the client will do with our hooks in a folder.
#[must_use]
pub fn judge(question: &FolderQuestion<'_>) -> Vec<Verdict> {
    let switches = question.settings.iter().map(|text| HookSwitches::read(text));
    let switches = switches.fold(HookSwitches::default(), HookSwitches::under);
    let mut verdicts = Vec::new();
    if switches.hooks == Some(false) {
        let what = "`hooksConfig.enabled` is false in its settings: it runs no hook";
        verdicts.push(Verdict::fail(what, "set it to true, or type /hooks enable-all"));
    }
    if switches.disabled.iter().any(|it| it == HOOK_NAME || our_program(it).is_some()) {
        let what = "our hooks are switched off in its settings";
        verdicts.push(Verdict::fail(what, format!("type /hooks enable {HOOK_NAME}")));
    }
    let variable = |name: &str| (question.variable)(name);
    let (trusts, restricted) = (variable("GEMINI_CLI_TRUST_WORKSPACE"), variable("GEMINI_RESTRICTED_MODE"));
    let trust = folder_trust(&TrustInputs {
        trust_variable: trusts.as_deref(),
        restricted_variable: restricted.as_deref(),
        // A project's own settings are not asked whether the project is trusted.
        is_enabled: question.settings.first().and_then(|text| HookSwitches::read(text).folder_trust),
        folders: question.list,
        folder: question.folder,
    });
    verdicts.push(match trust {
        FolderTrust::Trusted { because } => {
            Verdict::Runs(format!("it trusts this folder{}", told_by(&because)))
        }
        FolderTrust::Unasked => {
            Verdict::warn("it does not trust this folder yet, and runs no hook in it", ASK)
        }
        FolderTrust::Distrusted { because } => Verdict::fail(
            format!("it does not trust this folder{}, and runs no hook in it", told_by(&because)),
            ASK,
        ),
        FolderTrust::Unreadable { why } => Verdict::fail(
            format!("its list of trusted folders {why}: it does not start"),
            "correct the file by hand",
        ),
    });
    verdicts
}

fn told_by(source: &TrustSource) -> String {
    match source {
        TrustSource::Environment => " (the environment says so)".to_owned(),
        TrustSource::Settings => " (its settings switch folder trust off)".to_owned(),
        TrustSource::Rule(path) => format!(" (by the rule for {path})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(settings: &[&str], list: Option<&str>) -> Vec<Verdict> {
        let settings: Vec<String> = settings.iter().map(|text| (*text).to_owned()).collect();
        judge(&FolderQuestion { settings: &settings, list, folder: "/home/me/app", variable: &|_| None })
    }

    #[test]
    fn a_folder_that_is_not_trusted_is_named() {
        assert!(matches!(&judged(&["{}"], None)[..], [Verdict::Warn { .. }]));
        let no = "{\"/home/me\": \"DO_NOT_TRUST\"}";
        let [Verdict::Fail { what, .. }] = &judged(&["{}"], Some(no))[..] else { panic!() };
        assert!(what.contains("/home/me"), "{what}");
        let off = "{\"security\": {\"folderTrust\": {\"enabled\": false}}}";
        assert!(matches!(&judged(&[off], Some(no))[..], [Verdict::Runs(_)]));
        assert!(
            matches!(&judged(&["", off], Some(no))[..], [Verdict::Fail { .. }]),
            "the user's settings decide"
        );
    }

    #[test]
    fn hooks_that_are_switched_off_are_told() {
        let yes = Some("{\"/home/me/app\": \"TRUST_FOLDER\"}");
        let off = "{\"hooksConfig\": {\"enabled\": false}} // mine";
        assert!(matches!(&judged(&["{}", off], yes)[..], [Verdict::Fail { .. }, Verdict::Runs(_)]));
        let ours = "{\"hooksConfig\": {\"disabled\": [\"throughline\"]}}";
        assert!(matches!(&judged(&[ours], yes)[..], [Verdict::Fail { .. }, Verdict::Runs(_)]));
        let theirs = "{\"hooksConfig\": {\"disabled\": [\"other\"]}}";
        assert!(matches!(&judged(&[theirs], yes)[..], [Verdict::Runs(_)]));
    }
}
