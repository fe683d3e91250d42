//! Long secrets: a key or a token that is longer than what is kept in one piece leaves no piece behind, wherever it is cut.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::Read;
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::json;
use throughline_store::lock::Patience;
use throughline_store::recall::Recall;
use throughline_testkit::{Transcript, Usage, payload};

use crate::scene::{Scene, files_under};

const SESSION: &str = "s1";
/// So much of a secret, found anywhere, is a leak.
const PIECE_BYTES: usize = 20;

/// A secret as a command prints it.
struct Told {
    name: String,
    text: String,
}

/// Draws secrets; no two are the same.
struct Drawn(u64);

impl Drawn {
    fn letters(&mut self, length: usize) -> String {
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        let mut draw = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(letters[usize::try_from(self.0 >> 33).unwrap() % letters.len()])
        };
        (0..length).map(|_| draw()).collect()
    }

    fn key(&mut self, lines: usize, width: usize) -> String {
        let body: Vec<String> = (0..lines).map(|_| self.letters(width)).collect();
        let (begin, end) = (["-----BEGIN RSA PRI", "VATE KEY-----"], ["-----END RSA PRI", "VATE KEY-----"]);
        format!("{}\n{}\n{}==\n{}", begin.concat(), body.join("\n"), self.letters(PIECE_BYTES), end.concat())
    }

    /// Whole ones, and what `head`, `tail` or a client that shortens leave of one.
    fn all(&mut self, of: &str) -> Vec<Told> {
        let part = |key: String, first: usize, last: usize| {
            let lines: Vec<&str> = key.lines().collect();
            lines[first..lines.len() - last].join("\n")
        };
        let token = format!("ey{}.ey{}.{}", self.letters(60), self.letters(2_900), self.letters(342));
        let claims = token.replacen("ey", "eyJhbGciOiJSUzI1NiJ9", 1).replacen(".ey", ".eyJzdWIiOiIx", 1);
        let secrets = [
            ("key of 2048 bits", self.key(25, 64)),
            ("key of 4096 bits", self.key(49, 64)),
            ("wide key", self.key(46, 70)),
            ("first lines", part(self.key(49, 64), 0, 9)),
            ("last lines", part(self.key(49, 64), 12, 0)),
            ("token", claims),
        ];
        secrets.map(|(name, text)| Told { name: format!("{name}, {of}"), text }).into()
    }
}

/// The pieces of secrets, each with the name of its secret.
struct Known<'t>(HashMap<&'t [u8], &'t str>);

impl<'t> Known<'t> {
    fn of(told: &'t [Told]) -> Self {
        let mut pieces = HashMap::new();
        for it in told {
            for line in it.text.lines().filter(|line| !line.starts_with("-----")) {
                pieces
                    .extend(line.as_bytes().chunks_exact(PIECE_BYTES).map(|piece| (piece, it.name.as_str())));
            }
        }
        Self(pieces)
    }

    fn in_text(&self, text: &[u8]) -> BTreeSet<&'t str> {
        text.windows(PIECE_BYTES).filter_map(|window| self.0.get(window).copied()).collect()
    }
}

fn noise(lines: usize) -> String {
    (0..lines).map(|line| format!("step {line} of the build is done\n")).collect::<Vec<_>>().concat()
}

/// A transcript in which each is told in every way, and what was told.
fn tell(scene: &Scene, drawn: &mut Drawn) -> Vec<Told> {
    let mut transcript = Transcript::new(&scene.home, SESSION);
    let usage = || Usage::filling(40_000);
    transcript.user("Please look after the keys of the importer.");
    let mut told = Vec::new();
    let prints: [(&str, &str, usize, usize, bool); 9] = [
        ("printed", "cat deploy.txt", 0, 0, false),
        ("printed first", "cat deploy.txt build.log", 0, 300, false),
        ("printed last", "cat build.log deploy.txt", 300, 0, false),
        ("printed in between", "cat a.log deploy.txt b.log", 30, 30, false),
        ("at the end of what is looked at", "cat long.log", 240, 900, false),
        ("before the end that is looked at", "cat other.log", 900, 230, false),
        ("printed by a failure", "cargo run --bin keys", 0, 0, true),
        ("in a failure's log", "cargo test keys", 3, 3, true),
        ("printed by a build", "cargo build", 5, 0, false),
    ];
    for (of, command, before, behind, failed) in prints {
        for it in drawn.all(of) {
            let id = transcript.tool_call("Bash", &json!({"command": command}), usage());
            let text = format!("{}{}\n{}", noise(before), it.text, noise(behind));
            transcript.tool_result(&id, text.trim_end(), failed);
            told.push(it);
        }
    }
    for it in drawn.all("said by the user") {
        transcript.user(&format!("Use this one:\n{}\nand never lose it.", it.text));
        told.push(it);
    }
    for it in drawn.all("said by the agent") {
        transcript.assistant(&format!("I decided to use:\n\n{}\n\nNext I will deploy.", it.text), usage());
        told.push(it);
    }
    for it in drawn.all("in a command") {
        let command = format!("cat > deploy.txt <<'X'\n{}\nX\ncargo test", it.text);
        transcript.tool("Bash", &json!({"command": command, "description": it.text}), "ok", usage());
        told.push(it);
    }
    for it in drawn.all("of a subagent") {
        transcript.tool("Agent", &json!({"prompt": it.text, "description": "look"}), &it.text, usage());
        told.push(it);
    }
    for it in drawn.all("in a file that could not be read") {
        let id = transcript.tool_call("Read", &json!({"file_path": "/srv/x"}), usage());
        transcript.tool_result(&id, &format!("error: not that one\n{}", it.text), true);
        told.push(it);
    }
    for it in drawn.all("in a summary") {
        transcript.compaction("auto", &format!("The session so far.\n{}\nThen it went on.", it.text));
        told.push(it);
    }
    told
}

/// The same through hooks and verbs.
fn tell_directly(scene: &Scene, drawn: &mut Drawn, told: &mut Vec<Told>) {
    let home = &scene.home;
    for it in drawn.all("as the last words") {
        scene.hook(&payload::stop(home, SESSION, &format!("Shall I use this?\n{}", it.text)));
        told.push(it);
    }
    for it in drawn.all("around a compaction") {
        scene.hook(&payload::pre_compact(home, SESSION, "manual", Some(&it.text)));
        scene.hook(&payload::post_compact(home, SESSION, "manual", &format!("Summary.\n{}", it.text)));
        scene.hook(&payload::session_start(home, SESSION, "compact"));
        told.push(it);
    }
    for it in drawn.all("given to verbs") {
        for verb in [
            &["note", &it.text][..],
            &["add", "evidence", &it.text],
            &["checkpoint", "create", "--note", &it.text],
            &["away", "--for", &it.text],
            &["set", "work", "--id", "K-1", "--title", &it.text],
        ] {
            scene.run(verb);
        }
        told.push(it);
    }
}

#[test]
fn no_piece_of_a_long_secret_is_found_in_anything_that_was_written() {
    let scene = Scene::with_git();
    let mut drawn = Drawn(11);
    scene.hook(&payload::session_start(&scene.home, SESSION, "startup"));
    let mut told = tell(&scene, &mut drawn);
    tell_directly(&scene, &mut drawn, &mut told);
    scene.ok(&["backfill"]);
    scene.ok(&["export", "--output", "all.throughline"]);
    scene.hook(&payload::session_end(&scene.home, SESSION, "exit"));
    let recall = scene.home.data().join("recall.db");
    let writing = Recall::writing(&throughline_store::door::outside::at(&recall), Patience::Person).unwrap();
    let mut index =
        Recall::open(&throughline_store::door::outside::at(&recall), Duration::from_secs(2)).unwrap();
    assert!(index.passages().unwrap() > 100, "the session is in the index");
    let known = Known::of(&told);
    let leaks = RefCell::new(BTreeSet::new());
    let note = |place: &str, text: &[u8]| {
        let found = known.in_text(text);
        leaks.borrow_mut().extend(found.iter().map(|name| format!("{place}: {name}")));
        !found.is_empty()
    };
    index.forget(&writing, &|passage| note("recall.db", passage.as_bytes()), true).unwrap();
    let mut files = files_under(&scene.home.data());
    files.extend(files_under(&scene.home.project().join(".claude")));
    files.extend(files_under(&scene.home.claude_config().join("data")));
    for path in &files {
        note(&path.display().to_string(), &fs::read(path).unwrap_or_default());
    }
    let mut exported = String::new();
    let bundle = fs::File::open(scene.home.project().join("all.throughline")).unwrap();
    GzDecoder::new(bundle).read_to_string(&mut exported).unwrap();
    assert!(exported.contains("[masked:private-key") && exported.contains("step 3 of the build is done"));
    note("the export", exported.as_bytes());
    let leaks: Vec<String> = leaks.into_inner().into_iter().collect();
    assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
}
