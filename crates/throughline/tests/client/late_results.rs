//! A compaction right behind a tool's answer: the client has not written it to the transcript yet.

use std::os::unix::fs::PermissionsExt;

use throughline_testkit::{ClientLab, Kind, Script, Step, Usage};

use crate::scene::{Scene, fragments};

/// Fails at its first run, and passes from then on.
const PROGRAM: &str = "#!/bin/sh\nif [ -e \"$TMPDIR/ran\" ]; then echo '3 passed in 0.01s'; else touch \"$TMPDIR/ran\"; echo 'FAILED tests/test_a.py::test_b'; echo '1 failed, 2 passed in 0.01s'; exit 1; fi\n";

#[test]
fn a_check_that_passes_at_last_is_not_told_as_failing() {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(ClientLab::with_small_window);
    let path = scene.lab.home().write("bin/pytest", PROGRAM);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let check = "PATH=\"$PWD/bin:$PATH\" pytest tests";
    let steps = [
        Step::bash(check),
        // Nothing between its answer and the compaction.
        Step::bash(check).usage(Usage::filling(150_000)),
        Step::text("All pass."),
    ];
    scene.lab.set_script(Script::new().turn("PROMPT:mend", steps));
    let mut client = scene.lab.live(&[]);
    let turn = client.ask("PROMPT:mend the tests of the importer");
    assert_eq!((turn.text(), turn.compactions()), ("All pass.", 1));
    assert!(client.close().success());
    let compact = &scene.lab.mock().requests_of(Kind::Compact)[0];
    let said = fragments(compact);
    let block = said.iter().find(|text| text.starts_with("[throughline:preserve]")).unwrap();
    // On a busy machine the client has not even written the second call: then nothing is said of how it ended.
    assert!(!block.contains("Fails:") && !block.contains("pytest tests` failed"), "{block}");
    assert!(!block.contains("tests` passed") || block.contains("tests` passed: \"3 passed"), "{block}");
    // How both runs ended was noted before anything was on disk: a failure, and three that passed.
    let spool = scene.lab.home().data().join("sessions").join(turn.session_id()).join("spool.jsonl");
    let spool = std::fs::read_to_string(spool).unwrap();
    assert!(spool.contains(",1,3,2]]") && spool.contains(",0,4,0]]"), "{spool}");
    assert_eq!(scene.logged(), "");
}
