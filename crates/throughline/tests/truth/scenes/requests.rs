//! Requests and words: what was asked, by whom, and where the work stands (numbers 4, 6, 13 and 16).

use super::scenes;

scenes! {
    a_short_request_is_the_request: r#"
        start s1
        user Please write a page about the importer for new people.
        write docs/importer.md
        stop The page is written.
        user Fix the importer.
        edit src/importer.rs
        compact Summary.
        briefing says Fix the importer.
        briefing hides The request: "Please write a page about the importer
    "#;
    a_request_without_blanks_is_the_request: r#"
        start s1
        user Please write a page about the importer for new people.
        write docs/importer.md
        stop The page is written.
        user 修复导入器
        edit src/importer.rs
        compact Summary.
        briefing says 修复导入器
        briefing hides The request: "Please write a page about the importer
    "#;
    yes_is_no_request: r#"
        start s1
        user Replace the hand-written parser by the generated one.
        say Shall I also remove the old tests?
        user yes
        edit src/parser.rs
        compact Summary.
        briefing says Replace the hand-written parser by the generated one.
        briefing hides The request: "yes"
    "#;
    nothing_and_something_are_not_in_progress_at_once: r#"
        start s1
        user Do both steps of the migration, one after the other.
        tasks Step one=in_progress; Step two=pending
        edit src/one.rs
        stop Step one is nearly done.
        compact Summary.
        briefing says in progress: Step one
        briefing hides In progress: nothing
    "#;
    work_goes_on_after_the_request_came_last: r#"
        start s1
        user Rewrite the settings page with the new components.
        read src/settings.tsx
        edit src/settings.tsx
        user Use the small buttons there.
        edit src/settings.tsx
        compact Summary.
        briefing hides nothing yet; the request came last
    "#;
    the_only_prompt_is_not_what_the_user_also_said: r#"
        start s1
        user Never touch the generated files when you rewrite the parser.
        edit src/parser.rs
        compact Summary.
        briefing says Never touch the generated files
        briefing hides The user also said:
    "#;
    the_only_short_prompt_is_not_what_the_user_also_said: r#"
        start s1
        user Fix the parser.
        edit src/parser.rs
        compact Summary.
        briefing hides The user also said:
    "#;
    a_rule_in_the_second_sentence_is_kept: r#"
        start s1
        user Look at the importer first. Never commit to main without asking me.
        read src/importer.rs
        user Now mend the blank lines there, please.
        edit src/importer.rs
        compact Summary.
        briefing says Never commit to main without asking me.
    "#;
    what_the_agent_says_is_not_the_users_word: r#"
        start s1
        user Make the importer faster, it takes a minute now.
        say The user wants us to drop support for old files, so I remove it.
        edit src/importer.rs
        compact Summary.
        briefing hides The user's directives:\n- "The user wants us to drop
        briefing hides the user: The user wants us
    "#;
    a_question_of_the_agent_stays_open_until_it_is_answered: r#"
        start s1
        user Move the service to the new machine this week.
        stop Which region should the new machine be in?
        away says Which region should the new machine be in?
        notes says Which region should the new machine be in?
    "#;
    an_answered_question_is_not_open: r#"
        start s1
        user Move the service to the new machine this week.
        stop Which region should the new machine be in?
        user Frankfurt, as the old one.
        edit deploy/region.tf
        stop It is set to Frankfurt now.
        away hides waits for your answer
        notes hides an answer to: Which region
    "#;
    a_quotation_has_its_speaker_under_a_tight_budget: r#"
        start s1
        user Never rename public functions. Always run the formatter. Use tabs in make files. Keep the changelog short.
        say I decided to keep the old parser, because the new one is slower.
        edit src/parser.rs
        fails make lint => src/parser.rs:4: error: line too long
        on-disk .claude/throughline.toml => [briefing]\ntokens = 120\n
        run trust --yes
        compact We worked on the parser.
        briefing hides \n" 
        briefing hides \n> \n
    "#;
    a_done_task_is_not_open: r#"
        start s1
        user Do both steps of the migration, one after the other.
        tasks Step one=in_progress; Step two=pending
        edit src/one.rs
        tasks Step one=completed; Step two=in_progress
        compact Summary.
        briefing says in progress: Step two
        briefing hides in progress: Step one
        next hides Step one
    "#;
    a_pasted_log_is_not_the_users_rule: r#"
        start s1
        user I get this when I start it:\n```\nerror: you must never call init twice\n```\nPlease find out why.
        read src/init.rs
        compact Summary.
        briefing hides The user's directives:\n- "error: you must never
    "#;
}
