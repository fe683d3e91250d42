//! Other versions of the state file: an earlier one of ours that a branch brings back, before the archive knows of the later.

use std::fs;
use std::time::Duration;

use throughline_domain::budget::Limits;
use throughline_domain::{Kind, Origin, Timestamp};
use throughline_store::archive::{Archive, Filter};
use throughline_store::lock::Patience;
use throughline_store::memory::{Author, Memory, fold_outbox};
use throughline_store::paths::{Home, Project};

fn author() -> Author {
    let now = Timestamp::from_millisecond(1_800_000_000_000).unwrap();
    Author { origin: Origin::User, session: None, now, patience: Patience::Person }
}

#[test]
fn an_earlier_version_that_comes_back_takes_nothing_from_what_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().join("data"));
    let project = Project::at(&folder.path().join("project"), None, &home);
    fs::create_dir(&project.root).unwrap();
    let memory = Memory::of(project, home.clone(), Limits::default());
    let add = |words: &str| {
        let words = words.to_owned();
        memory.update(&author(), move |draft| draft.add_decision(&words, "", true)).unwrap();
    };
    add("first");
    let earlier = fs::read(memory.project.state_file().shown()).unwrap();
    add("second");
    fs::write(memory.project.state_file().shown(), &earlier).unwrap();
    assert_eq!(memory.peek().unwrap().unwrap().entries(Kind::Decision).len(), 2);
    add("third");
    fs::write(memory.project.state_file().shown(), &earlier).unwrap();
    let (state, repairs) = memory.load(&author()).unwrap();
    assert_eq!((state.entries(Kind::Decision).len(), repairs.len()), (3, 0));
    let mut archive = Archive::open(&home.archive(), Duration::from_secs(5)).unwrap();
    fold_outbox(&memory, &mut archive, Patience::Person).unwrap();
    let filter = Filter { kind: None, live_only: true, limit: 10 };
    let rows = archive.entries(&memory.project.key, filter).unwrap();
    assert_eq!(rows.len(), 3, "each was acknowledged, and counts as such: {rows:?}");
    assert_eq!(memory.load(&author()).unwrap().0.entries(Kind::Decision).len(), 3);
    assert!(memory.waiting().unwrap().is_empty());
}
