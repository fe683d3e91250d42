//! The diff stat in the block before a compaction.

use throughline_briefing::{Cap, Facts, preservation};
use throughline_domain::State;
use throughline_domain::ledger::Ledger;

fn block(files: usize, cap: Cap) -> String {
    let mut stat: Vec<String> = (0..files).map(|number| format!(" src/file{number}.rs | 2 +-")).collect();
    stat.push(format!(" {files} files changed, {files} insertions(+)"));
    let state = State::empty();
    preservation::render(&state, &Facts::default(), None, &stat.join("\n"), &Ledger::default(), cap)
        .unwrap_or_default()
}

#[test]
fn decision_26_the_diff_stat_is_whole_or_said_to_be_cut() {
    let whole = block(19, Cap::tokens(2_400));
    assert!((0..19).all(|number| whole.contains(&format!("file{number}.rs"))) && !whole.contains("cut here"));
    assert!(whole.contains("19 files changed"), "{whole}");
    let cut = block(40, Cap::tokens(2_400));
    assert!(cut.contains("file17.rs") && !cut.contains("file18.rs"), "{cut}");
    assert!(cut.contains("cut here: 22 more lines") && cut.contains("40 files changed"), "{cut}");
    let tight = block(19, Cap { units: 300 });
    assert!(!tight.contains("file0.rs"), "no part of it poses as all: {tight}");
}
