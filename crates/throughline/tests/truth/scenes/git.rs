//! What git knows is asked when it is said.

use super::scenes;

scenes! {
    a_commit_in_another_terminal_is_a_commit: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        stop Done so far.
        elsewhere all of it
        compact Summary.
        briefing hides no commit since
        block hides no commit since
    "#;
    what_is_not_committed_is_told_as_such: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        compact Summary.
        briefing says Edited, no commit since
        briefing says importer.rs
    "#;
    of_two_files_only_the_changed_one_is_without_a_commit: r#"
        start s1
        user Rewrite the importer and the reader, please.
        edit src/importer.rs
        edit src/reader.rs
        elsewhere both of them
        on-disk src/reader.rs => something else
        compact Summary.
        briefing hides Edited, no commit since: src/: importer.rs
        briefing hides importer.rs, reader.rs
    "#;
    a_clean_tree_has_no_uncommitted_files_in_the_banner: r#"
        decide use the streaming reader
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        stop Done so far.
        end other
        elsewhere all of it
        start s2
        briefing hides Uncommitted changes
        briefing says [GIT] Latest: 
        briefing says all of it
    "#;
    a_clean_tree_has_no_uncommitted_files_in_the_briefing: r#"
        decide use the streaming reader
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        stop Done so far.
        end other
        elsewhere all of it
        pass 45
        start s2
        briefing hides uncommitted
        briefing hides no commit since
        asked hides uncommitted
    "#;
    a_commit_of_the_agent_is_a_commit: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        commit importer: blank lines are skipped
        compact Summary.
        briefing hides no commit since
    "#;
    a_fresh_clone_is_not_modified_in_the_last_hour: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        run save --trigger precompact
        snapshot hides src/importer.rs
        edit src/importer.rs
        run save --trigger precompact
        snapshot says src/importer.rs
    "#;
    decision_27_a_snapshot_can_be_forced: r#"
        on-disk src/new.rs => new
        run save --trigger precompact
        snapshot says # Pre-Compaction Snapshot
        snapshot says src/
        snapshot hides was compacted
        log silent
    "#;
    decision_26_the_diff_stat_is_whole: r#"
        on-disk CLAUDE.md => changed
        start s1
        user Rewrite the importer so that it skips blank lines.
        read CLAUDE.md
        precompact
        block says Uncommitted changes (git diff --stat):
        block says 1 file changed
        block hides cut here
    "#;
}
