//! Secrets: whatever a session tells, and wherever it tells it, none is found afterwards in anything that we wrote or said.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use throughline_testkit::{Transcript, Usage, payload};

use crate::scene::Scene;

const SESSION: &str = "s1";

/// A secret, and a text that tells it. Put together here: no scanner of this repository should find one.
struct Told {
    secret: String,
    text: String,
}

/// Thirty kinds. The secrets are letters in a row that nobody uses.
fn told() -> Vec<Told> {
    let mut number = 0_u64;
    let mut drawn = |length: usize| -> String {
        number += 1;
        let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        let mut text = String::from("q7");
        while text.len() < length {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push(char::from(letters[usize::try_from(state >> 33).unwrap() % letters.len()]));
        }
        text
    };
    let templates: [(&str, usize); 30] = [
        ("use gh|p_@ here", 36),
        ("use github|_pat_@_0123456789012345678901234567890123456789012345678901234567890 here", 22),
        ("key sk|-ant-api03-@", 60),
        ("key sk|-proj-@", 60),
        ("token xox|b-123456789012-123456789012-@", 24),
        ("stripe sk|_live_@", 24),
        ("npm np|m_@", 36),
        ("gitlab gl|pat-@", 20),
        ("google AI|za@", 35),
        ("hugging hf|_@", 34),
        ("psql postgres://app:@@db.internal/main", 14),
        ("mongodb+srv://svc:@@cluster0.mongodb.net/x", 16),
        ("redis://:@@cache:6379", 18),
        ("git clone https://oauth2:@@git.host.tld/a.git", 20),
        ("curl -H 'Authorization: Bearer @' https://h.tld", 40),
        ("curl -u admin:@ https://h.tld", 12),
        ("Cookie: theme=dark; sessionid=@", 32),
        ("export API_TOKEN=@", 32),
        ("DB_PASSWORD=@ make migrate", 12),
        ("mysql -u root -p@ app", 12),
        ("deploy --token @ --force", 30),
        ("{\"client_secret\": \"@\"}", 40),
        ("aws_secret_access_key = @", 40),
        ("password: '@'", 14),
        ("the password is @ now", 12),
        ("https://h.tld/f?access_token=@&x=1", 32),
        ("machine h.tld login me password @", 20),
        ("jwt ey|JhbGciOiJIUzI1NiJ9.ey|JzdWIiOiIxMjM0NTY3ODkw.@", 43),
        ("//registry.npmjs.org/:_authToken=@", 36),
        ("sshpass -p '@' ssh h", 12),
    ];
    let fill = |(template, length): (&str, usize)| {
        let secret = drawn(length);
        Told { text: template.replace('|', "").replacen('@', &secret, 1), secret }
    };
    templates.into_iter().map(fill).collect()
}

/// Every file below a folder.
fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// What a session prints, one thing after the other.
struct Printed(Vec<String>);

impl Printed {
    fn hook(&mut self, scene: &Scene, payload: &serde_json::Value) {
        self.0.push(scene.hook(payload));
    }

    fn verb(&mut self, scene: &Scene, args: &[&str]) {
        let output = scene.run(args);
        self.0.push(output.stdout);
        self.0.push(output.stderr);
    }
}

/// The transcript of a session in which everything is told everywhere.
fn tell_in_transcript(scene: &Scene, told: &[Told]) {
    let mut transcript = Transcript::new(&scene.home, SESSION);
    let usage = || Usage::filling(40_000);
    transcript.user("Please deploy the importer.");
    for (number, Told { text, .. }) in told.iter().enumerate() {
        transcript.user(&format!("Never forget: {text}\nalways use it"));
        transcript.assistant(&format!("I decided to use it: {text}. Next I will deploy."), usage());
        let id = transcript.tool_call(
            "Bash",
            &json!({"command": format!("{text} && cargo test it{number}")}),
            usage(),
        );
        transcript.tool_result(&id, &format!("error: could not log in\nerror: {text}\nfatal: {text}"), true);
        transcript.tool("Read", &json!({"file_path": format!("/srv/app/{text}/x.rs")}), text, usage());
        transcript.tool(
            "TaskCreate",
            &json!({"subject": text, "description": text}),
            &format!("Task #{number} created successfully: {text}"),
            usage(),
        );
        transcript.tool(
            "TodoWrite",
            &json!({"todos": [{"content": text, "status": "pending"}]}),
            "ok",
            usage(),
        );
    }
}

fn live_a_session(scene: &Scene, told: &[Told]) -> Printed {
    let mut printed = Printed(Vec::new());
    let home = &scene.home;
    printed.hook(scene, &payload::session_start(home, SESSION, "startup"));
    tell_in_transcript(scene, told);
    for (number, Told { text, .. }) in told.iter().enumerate() {
        let id = number.to_string();
        printed.hook(scene, &payload::user_prompt_submit(home, SESSION, text));
        printed.hook(scene, &payload::task_created(home, SESSION, &id, text));
        printed.hook(scene, &payload::task_completed(home, SESSION, &id, text));
        printed.hook(scene, &payload::subagent_start(home, SESSION, text));
        printed.hook(scene, &payload::subagent_stop(home, SESSION, text, text));
        printed.verb(scene, &["note", text]);
        let kinds = ["decision", "constraint", "question", "evidence", "highlight", "action"];
        printed.verb(scene, &["add", kinds[number % kinds.len()], text]);
        if number % 5 == 0 {
            printed.verb(scene, &["set", "work", "--id", "IMP-1", "--title", text, "--phase", "EXEC"]);
            printed.verb(scene, &["anchor", "add", text]);
            printed.verb(scene, &["checkpoint", "create", "--note", text]);
            printed.verb(scene, &["away", "--for", text]);
            printed.hook(scene, &payload::stop(home, SESSION, text));
        }
        if number % 10 == 0 {
            printed.hook(scene, &payload::pre_compact(home, SESSION, "manual", Some(text)));
            printed.hook(scene, &payload::post_compact(home, SESSION, "manual", &format!("Summary. {text}")));
            printed.hook(scene, &payload::session_start(home, SESSION, "compact"));
        }
    }
    for verb in [
        &["list"][..],
        &["briefing", "--preview"],
        &["next"],
        &["notes"],
        &["coverage"],
        &["sessions", "show"],
        &["sessions", "resume"],
        &["compact-focus"],
        &["handoff"],
        &["checkpoint", "show", "latest"],
        &["status"],
        &["doctor"],
    ] {
        printed.verb(scene, verb);
    }
    printed.hook(scene, &payload::session_end(home, SESSION, "exit"));
    printed.hook(scene, &payload::session_start(home, "s2", "startup"));
    printed
}

/// In git, names of branches and words of commits are told, too.
fn tell_in_git(scene: &Scene, told: &[Told]) {
    let branch = format!("fix-{}", told[0].text.split(' ').nth(1).unwrap());
    scene.home.git(&["checkout", "-q", "-b", &branch]);
    for Told { text, .. } in &told[..6] {
        scene.home.git(&["commit", "-q", "--allow-empty", "-m", text]);
    }
    scene.home.write(&format!("{}.txt", told[1].text.split(' ').nth(1).unwrap()), "new\n");
}

#[test]
fn no_secret_of_a_session_is_found_in_what_was_written_or_said() {
    let scene = Scene::with_git();
    let told = told();
    tell_in_git(&scene, &told);
    let printed = live_a_session(&scene, &told);
    let mut files = Vec::new();
    files_below(&scene.home.data(), &mut files);
    files_below(&scene.home.project().join(".claude"), &mut files);
    files_below(&scene.home.claude_config().join("data"), &mut files);
    assert!(files.len() > 10, "{files:?}");
    let mut leaks = Vec::new();
    for path in &files {
        let bytes = fs::read(path).unwrap_or_default();
        let content = String::from_utf8_lossy(&bytes);
        for Told { secret, text } in &told {
            if content.contains(secret.as_str()) || path.to_string_lossy().contains(secret.as_str()) {
                leaks.push(format!("{}: {text}", path.display()));
            }
        }
    }
    for text in &printed.0 {
        for it in told.iter().filter(|it| text.contains(&it.secret)) {
            leaks.push(format!("printed: {} in {text:.300}", it.text));
        }
    }
    assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
    let state = scene.home.read(crate::scene::STATE);
    assert!(state.contains("[masked:github-pat:"), "{state}");
    let key = fs::read(scene.home.data().join("mask-key")).unwrap();
    assert_eq!(key.len(), 16);
}
