//! Secrets: whatever a session tells, and wherever it tells it, none is found afterwards in anything that we wrote or said.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use throughline_store::lock::Patience;
use throughline_store::recall::Recall;
use throughline_testkit::{Transcript, Usage, payload};

use crate::mcp::Server;
use crate::scene::Scene;

const SESSION: &str = "s1";

/// A secret, and a text that tells it. Put together here: no scanner of this repository should find one.
struct Told {
    secret: String,
    text: String,
}

/// Some forty kinds. The secrets are letters in a row that nobody uses.
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
    let templates: [(&str, usize); 47] = [
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
        ("PATH=/bin\nHOME=/root\nSECRET_KEY=@\nSHELL=/bin/sh", 32),
        ("\u{1b}[32mgh|o_@\u{1b}[0m", 36),
        ("openssl pkcs12 -in a.p12 -passin pass:@", 16),
        ("7z x -p@ a.7z", 14),
        ("echo @ ¦ docker login -u me --password-stdin r.io", 20),
        ("¦ DB_PASSWORD ¦ @ ¦", 16),
        ("contraseña: @", 14),
        ("psql 'host=db user=app password=@'", 16),
        ("https://h.tld/x%3Ftoken%3D@", 30),
        ("-----BEGIN PRIVATE| KEY-----\nMIIE@\n-----END PRIVATE| KEY-----", 60),
        ("user,password,role\nanna,@,admin", 14),
        ("¦ User ¦ Password ¦\n¦---¦---¦\n¦ me ¦ @ ¦", 14),
        ("Das neue Passwort lautet @ ab heute", 14),
        ("пароль: @", 14),
        ("{\"Name\": \"/prod/DB_PASSWORD\", \"Type\": \"SecureString\", \"Value\": \"@\"}", 16),
        ("fly secrets set SMTP_PASS=@ -a web", 16),
        ("passwords:\n  me: @", 16),
    ];
    let fill = |(template, length): (&str, usize)| {
        let secret = drawn(length);
        Told { text: template.replace('|', "").replace('¦', "|").replacen('@', &secret, 1), secret }
    };
    let mut told: Vec<Told> = templates.into_iter().map(fill).collect();
    // Base64 of a line that tells one.
    let secret = base64(b"DB_PASSWORD=q7Hx93kLmW2vTz8");
    told.push(Told { text: format!("data: {secret}"), secret });
    told
}

fn base64(bytes: &[u8]) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |group: &[u8], place: usize| {
        let bits = u32::from(group[0]) << 16 | u32::from(group[1]) << 8 | u32::from(group[2]);
        char::from(letters[(bits >> (18 - 6 * place) & 63) as usize])
    };
    assert_eq!(bytes.len() % 3, 0);
    bytes.chunks(3).flat_map(|group| (0..4).map(move |place| letter(group, place))).collect()
}

/// What stands around a secret.
fn around(text: &str, secret: &str) -> String {
    let at = text.find(secret).unwrap_or(0);
    let (from, to) = (at.saturating_sub(120), at + secret.len() + 40);
    text[text.floor_char_boundary(from)..text.ceil_char_boundary(to.min(text.len()))].to_owned()
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
        &["backfill"],
        &["recall", "deploy", "importer"],
        &["recall", "log", "in", "--json"],
        &["recall", "fix", "error: could not log in"],
        &["recall", "file", "x.rs"],
        &["export"],
        &["export", "--all"],
        &["usage", "--json"],
        &["list", "--json"],
        &["sessions", "--json"],
    ] {
        printed.verb(scene, verb);
    }
    for Told { text, .. } in told {
        printed.verb(scene, &["recall", "--", text]);
    }
    tell_the_server(scene, told, &mut printed);
    printed.hook(scene, &payload::session_end(home, SESSION, "exit"));
    printed.hook(scene, &payload::session_start(home, "s2", "startup"));
    printed
}

/// What an agent says through the MCP server, and what it is answered.
fn tell_the_server(scene: &Scene, told: &[Told], printed: &mut Printed) {
    let mut server = Server::start(&scene.home);
    for Told { text, .. } in told {
        for (tool, arguments) in [
            ("record_decision", json!({ "text": text, "why": text })),
            ("record_constraint", json!({ "text": text })),
            ("ask_question", json!({ "text": text })),
            ("resolve_question", json!({ "id": text, "answer": text })),
            ("add_evidence", json!({ "text": text })),
            ("anchor", json!({ "text": text })),
            ("checkpoint", json!({ "note": text })),
            ("recall", json!({ "words": text })),
            ("recall", json!({ "query": text })),
        ] {
            let (Ok(said) | Err(said)) = server.call(tool, arguments);
            printed.0.push(said);
        }
    }
    for tool in ["load_state", "next", "context_health"] {
        let (Ok(said) | Err(said)) = server.call(tool, json!({}));
        printed.0.push(said);
    }
    for uri in ["throughline://state", "throughline://notes"] {
        printed.0.push(server.request("resources/read", json!({ "uri": uri })).to_string());
    }
    for name in ["compaction", "handover"] {
        printed.0.push(server.request("prompts/get", json!({ "name": name })).to_string());
    }
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
    // Its texts are compressed: a look at its bytes would find nothing.
    let recall = scene.home.data().join("recall.db");
    let writing = Recall::writing(&throughline_store::door::outside::at(&recall), Patience::Person).unwrap();
    let mut index =
        Recall::open(&throughline_store::door::outside::at(&recall), std::time::Duration::from_secs(2))
            .unwrap();
    assert!(index.passages().unwrap() > 100, "the session is in the index");
    for Told { secret, text } in &told {
        if index.forget(&writing, &|passage| passage.contains(secret.as_str()), true).unwrap() > 0 {
            leaks.push(format!("recall.db: {text}"));
        }
    }
    for path in &files {
        let bytes = fs::read(path).unwrap_or_default();
        let content = String::from_utf8_lossy(&bytes);
        for Told { secret, text } in &told {
            if content.contains(secret.as_str()) || path.to_string_lossy().contains(secret.as_str()) {
                leaks.push(format!("{}: {text} in {}", path.display(), around(&content, secret)));
            }
        }
    }
    for text in &printed.0 {
        for it in told.iter().filter(|it| text.contains(&it.secret)) {
            leaks.push(format!("printed: {} in {}", it.text, around(text, &it.secret)));
        }
    }
    assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
    let state = scene.home.read(crate::scene::STATE);
    assert!(state.contains("[masked:"), "{state}");
    let key = fs::read(scene.home.data().join("mask-key")).unwrap();
    assert_eq!(key.len(), 16);
}
