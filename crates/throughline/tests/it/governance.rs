//! Governance: the user's rules come first at each start, by the phase at hand, under their cap, and are nobody's words.

use throughline_testkit::{Transcript, Usage, payload};

use crate::scene::{Scene, tokens, units};

const RULES: &str = "[throughline:rules]\n";

fn governed(toml: &str) -> Scene {
    let scene = Scene::with_git();
    scene.configure_project(&format!("[governance]\n{toml}\n"));
    scene
}

fn start(scene: &Scene, session: &str, source: &str) -> String {
    scene.hook(&payload::session_start(&scene.home, session, source))
}

fn rules_in(text: &str) -> &str {
    text.strip_prefix(RULES)
        .and_then(|rest| rest.split_once("\n[/throughline]"))
        .map_or("", |(rules, _)| rules)
}

#[test]
fn the_table_of_starts_and_phases() {
    let scene = governed(
        "text = \"Never push.\"\nphases = { EXEC = \"Test first.\", \"phase-1 ü\" = \"Read only.\" }",
    );
    scene.ok(&["add", "decision", "use SQLite"]);
    let always = "Rules that the user restates at each start; keep to them:\nNever push.";
    let rows = [
        ("", always.to_owned()),
        ("PLAN", always.to_owned()),
        ("EXEC", format!("{always}\nIn phase EXEC: Test first.")),
        ("exec", format!("{always}\nIn phase EXEC: Test first.")),
        ("PHASE-1 Ü", format!("{always}\nIn phase phase-1 ü: Read only.")),
    ];
    for (phase, expected) in rows {
        scene.ok(&["set", "work", "--phase", phase]);
        for source in ["startup", "clear", "compact", "unheard-of"] {
            let text = start(&scene, &format!("{source}-{}", phase.len()), source);
            assert_eq!(rules_in(&text), expected, "{phase} {source}: {text}");
            assert!(text.contains("[/throughline]\n[throughline:"), "and then the rest: {text}");
        }
        for source in ["resume", "fork"] {
            assert!(!start(&scene, "old", source).contains("Never push"), "the history has them: {source}");
        }
    }
}

#[test]
fn they_are_said_in_an_empty_project_and_not_in_a_paused_one() {
    let scene = governed("text = \"Never push.\"");
    let text = start(&scene, "s1", "startup");
    assert!(text.starts_with(RULES) && text.ends_with("[/throughline]"), "{text}");
    assert_eq!(text.matches("[throughline:").count(), 1, "{text}");
    scene.ok(&["pause"]);
    assert_eq!(start(&scene, "s2", "startup"), "");
}

#[test]
fn rules_and_briefing_together_stay_within_the_budget() {
    for (letter, briefing_tokens) in [("word ", 1_200), ("界", 1_200), ("🦀", 300), ("e\u{301}", 2_500)] {
        let scene = Scene::with_git();
        let long = letter.repeat(4_000);
        scene.configure_project(
            &format!("[briefing]\ntokens = {briefing_tokens}\n[governance]\ntext = \"{long}\"\nphases = {{ EXEC = \"Test first.\" }}\n"),
        );
        scene.ok(&["set", "work", "--phase", "EXEC"]);
        for number in 0..10 {
            scene.ok(&["add", "decision", &format!("decision {number} {}", "long words ".repeat(30))]);
        }
        let text = start(&scene, "s1", "compact");
        let rules = text.split_inclusive("[/throughline]").next().unwrap();
        assert!(tokens(rules) <= 200.min(briefing_tokens / 3) && rules.contains('…'), "{rules}");
        assert!(rules.contains("In phase EXEC: Test first."), "both share the room: {rules}");
        assert!(text.contains("[throughline:briefing]"), "{text}");
        assert!(text.contains("D10") || briefing_tokens < 1_200, "{text}");
        assert!(tokens(&text) <= briefing_tokens && units(&text) < 10_000, "{}", tokens(&text));
        assert!(!text.contains('\u{fffd}'));
    }
}

#[test]
fn the_preview_shows_them_and_doctor_says_what_does_not_fit() {
    let scene = governed("text = \"Never push.\"\nphases = { EXEC = \"Test first.\" }");
    scene.ok(&["set", "work", "--phase", "EXEC", "--title", "Docs"]);
    let preview = scene.ok(&["briefing", "--preview"]);
    assert!(preview.starts_with(RULES), "{preview}");
    assert!(preview.contains("Never push.  ← a rule of the configuration"), "{preview}");
    assert!(preview.contains("In phase EXEC: Test first.  ←") && preview.contains("Docs"), "{preview}");
    let doctor = || scene.run(&["doctor"]).stdout;
    assert!(!doctor().contains("[governance]"));
    scene.configure_project("[governance]\ntext = \"Never push.\"\ntokens = 40\nphases = { EXEC = \"Test first, then think about the very long tail of it, twice.\" }\n");
    let said = doctor();
    assert!(said.contains("with those for phase EXEC the rules in [governance] do not fit"), "{said}");
    assert!(!said.contains("! configuration the rules"), "those that always hold fit: {said}");
}

#[test]
fn the_projects_file_overrides_the_users_key_by_key() {
    let scene = governed("text = \"Of the project.\"");
    let folder = scene.home.config().join("throughline");
    std::fs::create_dir_all(&folder).unwrap();
    let own = "[governance]\ntext = \"Of the user.\"\nphases = { EXEC = \"The user's phase.\" }\n";
    std::fs::write(folder.join("throughline.toml"), own).unwrap();
    scene.ok(&["set", "work", "--phase", "exec"]);
    let text = start(&scene, "s1", "startup");
    assert!(
        text.contains("Of the project.\nIn phase EXEC: The user's phase.") && !text.contains("Of the user."),
        "{text}"
    );
}

/// A rule reads like a directive of the user; said by us it is none.
#[test]
fn what_we_restate_is_not_captured_as_somebodys_words() {
    let scene = governed("text = \"Never push to main, always ask the reviewer first.\"");
    let said = start(&scene, "s1", "startup");
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user(&format!("<system-reminder>\nSessionStart hook success: {said}\n</system-reminder>"));
    transcript.user(&format!("{said}\nSkip the empty rows, please."));
    transcript.assistant("I will skip them.", Usage::filling(20_000));
    scene.hook(&payload::stop(&scene.home, "s1", "done"));
    let ledger = std::fs::read_to_string(scene.session_data("s1").join("ledger.json")).unwrap();
    assert!(ledger.contains("Skip the empty rows"), "{ledger}");
    assert!(!ledger.contains("Never push"), "{ledger}");
    assert!(!scene.ok(&["anchor", "list", "--proposed"]).contains("Never push"));
    let again = start(&scene, "s1", "compact");
    assert_eq!(again.matches("Never push").count(), 1, "{again}");
}
