//! Lines of descent: who goes on from whom, and what is old is dated (numbers 5 and 8, Decisions 23 and 25).

use super::scenes;

scenes! {
    decision_23_an_empty_session_between_two_takes_nothing_away: r#"
        start s1
        user Rewrite the importer so that it skips blank lines. Never touch the API.
        tasks Skip blank lines=in_progress; Write the page=pending
        edit src/importer.rs
        fails cargo test -p importer => test blank ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed
        stop One test still fails.
        end other
        start s2
        end other
        start s3
        briefing says Skip blank lines
        briefing says cargo test -p importer
        briefing says Never touch the API
    "#;
    decision_23_hi_between_two_takes_nothing_away: r#"
        start s1
        user Rewrite the importer so that it skips blank lines. Never touch the API.
        tasks Skip blank lines=in_progress; Write the page=pending
        edit src/importer.rs
        stop I go on tomorrow.
        end other
        start s2
        user hi
        stop Hello! What shall I do?
        end other
        start s3
        briefing says Skip blank lines
        briefing says Never touch the API
        briefing hides "hi"
    "#;
    decision_23_clear_and_one_small_exchange_lose_nothing: r#"
        start s1
        user Rewrite the importer so that it skips blank lines. Never touch the API.
        tasks Skip blank lines=in_progress; Write the page=pending
        edit src/importer.rs
        fails cargo test -p importer => test blank ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed
        stop One test still fails.
        end clear
        start s2 clear
        briefing says what the last session left (2 open tasks, `cargo test -p importer` failing
        user What is in README?
        stop A few lines about the project.
        next says cargo test -p importer
        end other
        start s3
        briefing says Skip blank lines
        briefing says cargo test -p importer
        briefing says Never touch the API
    "#;
    decision_23_a_session_that_worked_takes_the_place: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        tasks Skip blank lines=in_progress
        edit src/importer.rs
        stop I go on later.
        end other
        start s2
        user Write the release notes for version three.
        write RELEASE.md
        stop They are written.
        end other
        start s3
        briefing says Write the release notes for version three.
        briefing hides Skip blank lines
    "#;
    decision_23_nothing_is_made_younger_by_an_empty_session: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        decide use the streaming reader
        edit src/importer.rs
        stop I go on later.
        end other
        pass 300
        start s2
        end other
        pass 10
        start s3
        briefing says [throughline:resume]
        briefing says Back after 5 h
    "#;
    decision_23_the_work_of_yesterday_survives_a_look_today: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        tasks Skip blank lines=in_progress
        edit src/importer.rs
        stop I go on tomorrow.
        end other
        pass 1500
        start s2
        briefing says Skip blank lines
        end other
        start s3
        briefing says Skip blank lines
    "#;
    decision_23_a_fork_goes_on_from_the_session_that_worked: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        tasks Skip blank lines=in_progress
        edit src/importer.rs
        stop I go on later.
        end other
        pass 90
        start s2
        end other
        start s3 fork
        briefing says Skip blank lines
    "#;
    a_crash_is_told_with_its_time: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        pass 300
        start s2
        briefing says [CONTEXT RESTORED]
        briefing says 5 h ago; it ended without saying so
        briefing says Rewrite the importer so that it skips blank lines.
    "#;
    a_crash_nine_days_old_is_one_line_like_any_old_memory: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        decide use the streaming reader
        edit src/importer.rs
        pass 12960
        start s2
        briefing says [throughline:notice]
        briefing says last active 9 days ago
        briefing hides [CONTEXT RESTORED]
        briefing hides Rewrite the importer
    "#;
    decision_25_a_whole_restore_has_the_seeds_banner: r#"
        run set work --id EXP-7 --title Export --phase EXEC
        decide use the streaming reader
        constrain no new dependency
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit CLAUDE.md
        stop I go on later.
        end other
        start s2
        briefing says [CONTEXT RESTORED] Session state from 20
        briefing says \n[GIT] Branch: main
        briefing says \n[GIT] Uncommitted changes: 1
        briefing says \n[GIT] Latest: 
        briefing says \n[SD] Working on: EXP-7 Export
        briefing says \n[SD] Phase: EXEC
        briefing says \n[DECISIONS] 1 recorded
        briefing says Rewrite the importer so that it skips blank lines.
        briefing says \n[RESTORED] Context automatically loaded - ready to continue
    "#;
    decision_25_the_banner_stands_also_without_a_transcript: r#"
        decide use the streaming reader
        start s1
        end other
        start s2
        briefing says [CONTEXT RESTORED] Session state from 20
        briefing says \n[GIT] Branch: main
        briefing says \n[DECISIONS] 1 recorded
        briefing says \n[RESTORED] Context automatically loaded
    "#;
    decision_25_after_a_compaction_there_is_no_banner: r#"
        decide use the streaming reader
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        compact Summary.
        briefing hides [CONTEXT RESTORED]
        briefing hides [RESTORED]
        briefing hides [GIT]
    "#;
}
