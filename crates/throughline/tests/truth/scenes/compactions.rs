//! Compactions that come early, late, never, or to somebody else (numbers 18, 19 and 20).

use super::scenes;

scenes! {
    a_summary_that_is_asked_for_is_no_compaction: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        precompact
        log silent
        summary The importer is rewritten.
        log silent
        edit src/reader.rs
        stop Both are written.
        log silent
        snapshot says may follow, now or later
        compactions-count says 0
    "#;
    a_precomputed_compaction_is_logged_when_it_comes: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        precompact
        summary The importer is rewritten.
        user Now the reader, with a buffer of its own.
        edit src/reader.rs
        pass 40
        compacted
        postcompact The importer is rewritten.
        log says COMPACTION (auto)
        stop Done.
        compactions-count says 1
    "#;
    a_precomputed_summary_is_kept_until_its_compaction: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        precompact
        summary Rewrite the importer so that it skips blank lines. It was done in src/importer.rs.
        user Now the reader, with a buffer of its own.
        pass 40
        edit src/reader.rs
        compacted
        briefing hides skips blank lines
    "#;
    what_is_still_there_word_by_word_is_not_repeated: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        precompact
        summary A summary without names.
        pass 5
        user Now give the reader a buffer of its own, of eight kilobytes.
        edit src/reader.rs
        bash cargo test -p reader => test result: ok. 2 passed; 0 failed
        compacted
        briefing says skips blank lines
        briefing says importer.rs
        briefing hides of eight kilobytes
        briefing hides `cargo test -p reader`
    "#;
    what_is_in_no_summary_is_told_after_a_usual_compaction: r#"
        start s1
        user Now give the reader a buffer of its own, of eight kilobytes.
        edit src/reader.rs
        bash cargo test -p reader => test result: ok. 2 passed; 0 failed
        compact A summary without names.
        briefing says of eight kilobytes
        briefing says `cargo test -p reader`
        log says COMPACTION (auto)
    "#;
    a_summary_that_was_never_used_claims_nothing: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        precompact
        summary The importer is rewritten.
        stop Done.
        end other
        log silent
        compactions-count says 0
        start s2
        briefing hides compacted
    "#;
    a_subagents_compaction_gives_it_its_own_task: r#"
        decide use the streaming reader
        start s1
        user Rewrite the importer so that it skips blank lines.
        tasks Skip blank lines=in_progress
        edit src/importer.rs
        agent-start Explore a1b2c3
        agent-says a1b2c3 Find every caller of parse_line in the repository and list them. => I look for callers now.
        agent-compact a1b2c3
        agent says Find every caller of parse_line
        agent hides skips blank lines
        agent hides Skip blank lines
        agent hides streaming reader
        agent-block silent
        log silent
        stop Done.
        compactions-count says 0
    "#;
    a_subagents_compaction_without_a_transcript_gives_nothing: r#"
        decide use the streaming reader
        start s1
        user Rewrite the importer so that it skips blank lines.
        agent-start Explore a1b2c3
        agent-compact a1b2c3
        agent silent
        agent-block silent
        log silent
    "#;
    a_subagents_summary_is_not_the_main_sessions: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        precompact
        summary Rewrite the importer so that it skips blank lines. All in src/importer.rs.
        agent-start Explore a1b2c3
        agent-compact a1b2c3 callers were found
        compacted
        briefing hides skips blank lines
    "#;
    an_idle_compaction_is_like_any_other: r#"
        start s1
        user Rewrite the importer so that it skips blank lines. Never touch the API.
        edit src/importer.rs
        stop It is rewritten; shall I go on with the reader?
        pass 54
        compact A summary without names.
        briefing says Never touch the API
        briefing says importer.rs
        log says COMPACTION (auto)
        compactions-count says 1
    "#;
    an_idle_compaction_is_nobodys_activity: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        stop It is rewritten.
        pass 54
        compact A summary without names.
        pass 66
        user Go on with the reader.
        prompt says Back after 2 h
    "#;
    an_idle_compaction_does_not_say_that_work_goes_on: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        stop It is rewritten.
        pass 54
        compact A summary without names.
        briefing hides the request came last
        briefing hides In progress: edited
    "#;
    each_compaction_is_counted_once: r#"
        start s1
        user Rewrite the importer so that it skips blank lines.
        edit src/importer.rs
        compact First.
        edit src/reader.rs
        compact Second.
        stop Done.
        compactions-count says 2
    "#;
    what_passed_before_a_compaction_still_passes_after_it: r#"
        start s1
        user Fix the importer so that its tests pass.
        edit src/importer.rs
        bash cargo test -p importer => test result: ok. 2 passed; 0 failed
        compact The tests of the importer fail.
        briefing says `cargo test -p importer` passed
        briefing hides Fails:
    "#;
}
