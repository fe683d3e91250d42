//! Times are those of the events, and what is old says so.

use super::scenes;

scenes! {
    a_note_file_is_told_with_its_age: r#"
        decide use the streaming reader
        on-disk .claude/session-state.md => # Now\nquoting the fields
        start s1
        end other
        pass 13
        start s2
        briefing says 13 min ago
        briefing hides moments ago
    "#;
    decision_28_notes_exist_from_the_first_turn: r#"
        start s1
        user Where is the importer in this repository?
        stop It is in src/importer.rs.
        notes says # Session s1
        notes says ## Current State
    "#;
    decision_28_log_times_are_the_events: r#"
        start s1
        user Fix the importer so that its tests pass.
        edit src/importer.rs
        bash cargo test -p importer => test result: ok. 2 passed; 0 failed
        pass 40
        stop All pass now.
        notes says Tests passed: `cargo test -p importer`
        notes-minute-of-test says 40
    "#;
    decision_28_session_id_and_notes_are_named_after_a_compaction: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        compact Summary.
        briefing says session s1
        briefing says .claude/sessions/s1/notes.md
    "#;
    decision_28_subagents_at_work_are_named_in_block_and_briefing: r#"
        start s1
        user Look through the whole repository for unused files.
        agent-start Explore a1b2c3
        agent-start Plan d4e5f6
        agent-stop Plan d4e5f6
        compact Summary.
        block says Subagents at work: Explore=a1b2c3
        block hides d4e5f6
        briefing says Subagents at work: Explore=a1b2c3
        briefing hides d4e5f6
    "#;
    a_session_of_long_ago_is_not_vouched_for: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        stop Done.
        pass 135360
        preflight says is not known
        preflight says 94 days old
        preflight hides HEALTHY
    "#;
    a_session_of_now_is_vouched_for: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        stop Done.
        preflight says HEALTHY
    "#;
    seconds_make_no_rate_per_minute: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        say One.
        say Two.
        stop Three.
        health says pace not known yet
        health hides a minute
    "#;
    the_demo_shows_our_marks_as_the_agent_gets_them: r#"
        demo says [throughline:briefing]
        demo hides (throughline:
        demo hides (/throughline)
    "#;
    status_tells_an_old_save_with_its_age: r#"
        decide use the streaming reader
        pass 4320
        status says 3 days ago
    "#;
    a_prompt_after_an_idle_hour_says_how_long_it_was: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        stop I am ready for the next step.
        pass 150
        user Go on with the reader.
        prompt says Back after 2 h 30 min
    "#;
}
