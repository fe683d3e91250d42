//! The ledger file: what a session's transcript has told, and how far it was read, in one file: never a line twice.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use serde::{Deserialize, Serialize};
use throughline_domain::ledger::{CommandUse, FileUse, LEDGER_VERSION, Ledger, Task};
use throughline_redact as redact;

use crate::door::{Spot, outside};
use crate::files::{self, AtPath, Durability, FileError};
use crate::positional;
use crate::transcript_file::Cursor;

/// Largest ledger file that is read; the ledger's own bounds keep it far below.
const LEDGER_BYTES_MAX: u64 = throughline_domain::limits::LEDGER_BYTES_MAX;

/// The folder in a session's own that holds the recent part of a full ledger, in the same form.
pub const RECENT: &str = "recent";

/// Enough for the transcript's path and the cursor.
const HEAD_BYTES: usize = 8 << 10;
/// From this length on a ledger takes longer to read and write than what a turn adds to a transcript.
const FULL_BYTES: u64 = 64 << 10;
/// So much of a transcript is left for the next gate then; those around a compaction and a start leave nothing.
const LITTLE_BYTES: u64 = 256 << 10;
/// How a ledger file ends when there is nothing left to read behind what was read first.
const CAUGHT_UP: [u8; 6] = *b",null]";

/// A ledger and the place up to which it was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Track {
    /// How far.
    pub cursor: Cursor,
    /// What was found.
    pub ledger: Ledger,
}

/// What is known of a session's transcript.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LedgerFile {
    /// The transcript it was read from.
    pub transcript: String,
    /// What can be used now.
    pub main: Track,
    /// After the first sight of a huge transcript: the same, read from its beginning, slice by slice, until it has
    /// caught up and takes the other's place.
    pub behind: Option<Track>,
}

impl LedgerFile {
    /// The ledger of a session; an empty one when there is none, or one of another form or another transcript.
    #[must_use]
    pub fn read(session_folder: &Spot, transcript: &str) -> Self {
        let bytes = files::read_limited(&session_folder.join("ledger.json"), LEDGER_BYTES_MAX).ok().flatten();
        let file = bytes.and_then(|bytes| Self::decode(&bytes)).filter(|file| file.transcript == transcript);
        file.unwrap_or_else(|| Self { transcript: transcript.to_owned(), ..Self::default() })
    }

    /// The ledger in a file's bytes; `None` when they are damaged, or of another form.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let file: Self = serde_json::from_slice(bytes).ok()?;
        // Nothing was captured yet where there is no version.
        let is_known = |track: &Track| matches!(track.ledger.version, LEDGER_VERSION | 0);
        (is_known(&file.main) && file.behind.as_ref().is_none_or(is_known)).then_some(file)
    }

    /// Whether reading on can wait for another gate: nothing was written to the transcript since it was read to its end,
    /// or so little that it is not worth reading and writing a full ledger. Told by the two ends of the ledger file and
    /// the lengths of both, so that a usual gate's work does not grow with the session.
    #[must_use]
    pub fn may_wait(session_folder: &Spot, transcript: &str) -> bool {
        let tell = || -> Option<bool> {
            let mut file = files::open_regular(&session_folder.join("ledger.json")).ok()?;
            let mut head = [0; HEAD_BYTES];
            let filled = file.read(&mut head).ok()?;
            let head = String::from_utf8_lossy(&head[..filled]);
            let path = serde_json::to_string(transcript).ok()?;
            // `["/path",[[offset,…],[version,…`
            let (cursor, ledger) = head.strip_prefix(&format!("[{path},[["))?.split_once("],[")?;
            let (offset, _) = cursor.split_once(',')?;
            if !ledger.starts_with(&format!("{LEDGER_VERSION},")) {
                return None;
            }
            let mut tail = [0; CAUGHT_UP.len()];
            let tail_at = file.seek(SeekFrom::End(-i64::try_from(tail.len()).ok()?)).ok()?;
            file.read_exact(&mut tail).ok()?;
            let bytes = outside::open(Path::new(transcript)).ok()?.metadata().ok()?.len();
            let unread = bytes.checked_sub(offset.parse().ok()?)?;
            let is_little = unread == 0 || (tail_at >= FULL_BYTES && unread < LITTLE_BYTES);
            Some(tail == CAUGHT_UP && is_little)
        };
        tell().unwrap_or(false)
    }

    /// Forgets what was read; says whether there was anything.
    pub fn forget(session_folder: &Spot) -> Result<bool, FileError> {
        files::remove(&session_folder.join(RECENT).join("ledger.json"))?;
        let path = session_folder.join("ledger.json");
        match path.unlink() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            removed => removed.map(|()| true).at("remove", &path),
        }
    }

    /// Writes it, redacted. What was read from the file before is clean: only texts that are not in `before` are looked
    /// through, since a gate comes often and finds little.
    /// Says whether it is a full one, which a gate may leave for the next.
    pub fn write(&mut self, session_folder: &Spot, before: Self) -> Result<bool, FileError> {
        let path = session_folder.join("ledger.json");
        let bytes = self.encode(before).map_err(std::io::Error::other).at("encode", &path)?;
        files::create_folder(session_folder)?;
        files::replace(&path, &bytes, Durability::Quick)?;
        Ok(bytes.len() as u64 >= FULL_BYTES)
    }

    /// The bytes that are written: redacted, as is then what is in use.
    pub fn encode(&mut self, before: Self) -> serde_json::Result<Vec<u8>> {
        let mut clean = HashSet::new();
        let mut old = before;
        for track in [Some(&mut old.main), old.behind.as_mut()].into_iter().flatten() {
            each_text(&mut track.ledger, &mut |text| {
                clean.insert(std::mem::take(text));
            });
        }
        for track in [Some(&mut self.main), self.behind.as_mut()].into_iter().flatten() {
            each_text(&mut track.ledger, &mut |text| {
                if !clean.contains(text)
                    && let Cow::Owned(masked) = redact::text(text)
                {
                    *text = masked;
                }
            });
        }
        positional::to_vec(self)
    }
}

/// Masks a ledger that is used without ever being written.
pub fn mask(ledger: &mut Ledger) {
    each_text(ledger, &mut |text| {
        if let Cow::Owned(masked) = redact::text(text) {
            *text = masked;
        }
    });
}

/// Every text of a ledger.
fn each_text(ledger: &mut Ledger, visit: &mut impl FnMut(&mut String)) {
    ledger.folders.iter_mut().for_each(&mut *visit);
    ledger.files.iter_mut().for_each(|file| each_of_file(file, visit));
    ledger.commands.iter_mut().for_each(|command| each_of_command(command, visit));
    for word in &mut ledger.said {
        [&mut word.text, &mut word.answers]
            .into_iter()
            .chain(&mut word.directives)
            .chain(&mut word.remarks)
            .chain(&mut word.pasted)
            .for_each(&mut *visit);
    }
    ledger.tasks.iter_mut().for_each(|task| each_of_task(task, visit));
    for error in &mut ledger.errors {
        [&mut error.from]
            .into_iter()
            .chain(&mut error.lines)
            .chain(&mut error.resolved_by)
            .for_each(&mut *visit);
    }
    ledger.findings.iter_mut().map(|finding| &mut finding.quote).for_each(&mut *visit);
    for call in &mut ledger.pending {
        [&mut call.id, &mut call.name]
            .into_iter()
            .chain(&mut call.command)
            .chain(&mut call.subject)
            .for_each(&mut *visit);
        call.file.iter_mut().for_each(|file| each_of_file(file, visit));
        call.commands.iter_mut().for_each(|command| each_of_command(command, visit));
        call.former.iter_mut().flatten().for_each(|task| each_of_task(task, visit));
    }
    for compaction in &mut ledger.compactions {
        [&mut compaction.trigger, &mut compaction.timestamp].into_iter().for_each(&mut *visit);
    }
    for segment in &mut ledger.segments {
        [&mut segment.id, &mut segment.subject]
            .into_iter()
            .chain(&mut segment.files)
            .chain(&mut segment.commands)
            .chain(&mut segment.outcomes)
            .chain(&mut segment.errors)
            .for_each(&mut *visit);
    }
    let stand = &mut ledger.stand;
    [&mut stand.said, &mut stand.told, &mut stand.what].into_iter().for_each(&mut *visit);
    let stretch = &mut ledger.stretch;
    stretch.tried.iter_mut().map(|it| &mut it.what).chain(&mut stretch.discarded).for_each(&mut *visit);
    let said = ledger.tellings.iter_mut().chain(&mut ledger.summarised);
    said.map(|telling| &mut telling.text).for_each(&mut *visit);
    for landmark in &mut ledger.landmarks {
        [&mut landmark.name, &mut landmark.at].into_iter().for_each(&mut *visit);
    }
    for detour in &mut ledger.detours {
        [&mut detour.failed, &mut detour.why, &mut detour.works].into_iter().for_each(&mut *visit);
    }
    for refusal in &mut ledger.refusals {
        [&mut refusal.what, &mut refusal.words].into_iter().for_each(&mut *visit);
    }
}

fn each_of_file(file: &mut FileUse, visit: &mut impl FnMut(&mut String)) {
    [&mut file.path, &mut file.did].into_iter().chain(&mut file.holds).for_each(visit);
}

fn each_of_command(command: &mut CommandUse, visit: &mut impl FnMut(&mut String)) {
    [&mut command.normal, &mut command.verbatim].into_iter().chain(&mut command.result).for_each(visit);
}

fn each_of_task(task: &mut Task, visit: &mut impl FnMut(&mut String)) {
    [&mut task.id, &mut task.subject, &mut task.status].into_iter().for_each(visit);
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files behind the door's back")]
mod tests {
    use super::*;

    /// A ledger whose every text is `text`.
    fn filled(text: &str) -> Ledger {
        let place = serde_json::json!({"turn": 1, "offset": 1});
        let file = serde_json::json!({"path": text, "did": text, "holds": [text]});
        let command = serde_json::json!({"normal": text, "verbatim": text, "result": [text]});
        let task = serde_json::json!({"id": text, "subject": text, "status": text});
        let document = serde_json::json!({
            "version": LEDGER_VERSION, "folders": [text], "files": [file], "commands": [command],
            "said": [{"text": text, "directives": [text], "remarks": [text], "pasted": [text], "answers": text}],
            "tasks": [task],
            "errors": [{"lines": [text], "from": text, "resolved_by": text}], "findings": [{"quote": text}],
            "pending": [{"id": text, "name": text, "command": text, "subject": text, "place": place, "file": file,
                "commands": [command], "former": [task]}],
            "compactions": [{"trigger": text, "timestamp": text}],
            "segments": [{"id": text, "subject": text, "files": [text], "commands": [text], "outcomes": [text],
                "errors": [text]}],
            "stand": {"said": text, "told": text, "what": text},
            "stretch": {"tried": [{"what": text}], "discarded": [text]},
            "tellings": [{"text": text}], "summarised": [{"text": text}], "landmarks": [{"name": text, "at": text}],
            "detours": [{"failed": text, "why": text, "works": text}], "refusals": [{"what": text, "words": text}],
        });
        serde_json::from_value(document).unwrap()
    }

    #[test]
    fn no_secret_reaches_the_file_wherever_it_stands() {
        let folder = tempfile::tempdir().unwrap();
        let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        let track = Track { ledger: filled(&format!("use {secret} there")), ..Track::default() };
        let mut file = LedgerFile { transcript: "/t".into(), main: track.clone(), behind: Some(track) };
        file.write(&crate::door::outside::at(folder.path()), LedgerFile::default()).unwrap();
        let written = std::fs::read_to_string(folder.path().join("ledger.json")).unwrap();
        assert!(!written.contains("ghp_"), "{written}");
        assert_eq!(written.matches(redact::OPENING).count(), 108, "every text of both ledgers: {written}");
        assert_eq!(
            file,
            LedgerFile::read(&crate::door::outside::at(folder.path()), "/t"),
            "what is used is what was written"
        );
    }

    #[test]
    fn a_ledger_comes_back_as_it_was_written_and_one_of_another_form_does_not() {
        let track = |version| Track { ledger: Ledger { version, ..filled("words") }, ..Track::default() };
        let written = |main: u32, behind: Option<u32>| {
            let mut file =
                LedgerFile { transcript: "/t".into(), main: track(main), behind: behind.map(track) };
            (file.encode(LedgerFile::default()).unwrap(), file)
        };
        let (bytes, file) = written(LEDGER_VERSION, Some(LEDGER_VERSION));
        assert_eq!(LedgerFile::decode(&bytes), Some(file));
        assert_eq!(LedgerFile::decode(&written(LEDGER_VERSION - 1, None).0), None);
        assert_eq!(LedgerFile::decode(&written(LEDGER_VERSION, Some(LEDGER_VERSION + 1)).0), None);
        let named = serde_json::to_vec(&written(LEDGER_VERSION - 1, None).1).unwrap();
        assert_eq!(LedgerFile::decode(&named), None, "the first form, with names");
    }

    /// Fields are told by their place. Whoever sees this fail: a field at the end of its structure is fine (bless it);
    /// anything else needs another `LEDGER_VERSION`.
    #[test]
    fn the_form_that_is_written_changes_only_with_its_version() {
        let file =
            LedgerFile { main: Track { ledger: filled("w"), ..Track::default() }, ..LedgerFile::default() };
        let bytes = { file }.encode(LedgerFile::default()).unwrap();
        expect_test::expect![[r#"["",[[0,false,0,false,0,0,""],[9,0,0,null,[],["w"],null,[["w",0,0,0,[0.0,0],[0,0],[0,0],null,"w",false,["w"]]],[["w","w","run",0,[0.0,0],[0,0],null,["w"]]],[["w",0,[0,0],["w"],["w"],["w"],false,"w"]],[["w","w","w",[0,0],[0,0]]],[[["w"],false,"w",[0,0],null,"w"]],[["decision","w",false,[0,0],0]],[["w","w","w","w",false,[1,1],[["w","w","w",[0,0],[0,0]]],["w",0,0,0,[0.0,0],[0,0],[0,0],null,"w",false,["w"]],[["w","w","run",0,[0.0,0],[0,0],null,["w"]]]]],[[[0,0],"w",null,null,"w"]],[["w","w",0,null,0,["w"],["w"],["w"],["w"]]],["new","w","w","none","w",false,false],[0,[0.0,0],[0.0,0],[0.0,0],[0.0,0],[0.0,0],[0.0,0],null,0,0,0,[],[],[],false,0,0,[[0,"w",0]],["w"],false],[["w",[0,0],0,false]],[["commit","w","w",[0,0]]],[["w","w","w",[0,0],false]],[["w","w",[0,0]]],[["w",[0,0],0,false]],[]]],null]"#]].assert_eq(&String::from_utf8(bytes).unwrap());
    }

    #[test]
    fn a_ledger_file_tells_by_its_ends_whether_reading_on_can_wait() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a \"transcript\".jsonl");
        std::fs::write(&path, "{}\n").unwrap();
        let transcript = path.to_str().unwrap();
        let may_wait = || LedgerFile::may_wait(&crate::door::outside::at(folder.path()), transcript);
        assert!(!may_wait(), "there is none");
        let read = |offset: u64, behind: Option<Track>| {
            let ledger = Ledger { version: LEDGER_VERSION, ..filled("words") };
            let cursor: Cursor = serde_json::from_value(serde_json::json!({"offset": offset})).unwrap();
            let main = Track { cursor, ledger };
            let mut file = LedgerFile { transcript: transcript.to_owned(), main, behind };
            file.write(&crate::door::outside::at(folder.path()), LedgerFile::default()).unwrap();
        };
        read(3, None);
        assert!(may_wait());
        assert!(!LedgerFile::may_wait(&crate::door::outside::at(folder.path()), "/another"));
        read(3, Some(Track::default()));
        assert!(!may_wait(), "a part of it waits");
        read(2, None);
        assert!(!may_wait(), "it grew");
        let many = |offset: u64| {
            let mut file = LedgerFile::read(&crate::door::outside::at(folder.path()), transcript);
            file.main.cursor.offset = offset;
            file.main.ledger.folders = vec!["folder".to_owned(); 10_000];
            file.write(&crate::door::outside::at(folder.path()), LedgerFile::default()).unwrap();
        };
        many(2);
        assert!(may_wait(), "a full ledger, and next to nothing new");
        many(4);
        assert!(!may_wait(), "it was cut");
        many(2);
        std::fs::write(&path, vec![b' '; 300 << 10]).unwrap();
        assert!(!may_wait(), "enough is new");
        std::fs::write(&path, "{}\n").unwrap();
        read(3, None);
        std::fs::remove_file(&path).unwrap();
        assert!(!may_wait(), "it is gone");
        std::fs::write(folder.path().join("ledger.json"), "{").unwrap();
        assert!(!may_wait(), "a damaged one");
    }
}
