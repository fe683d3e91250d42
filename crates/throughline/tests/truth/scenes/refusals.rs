//! What was refused or stopped did not happen (numbers 1 and 7).

use super::scenes;

scenes! {
    a_refused_command_is_not_told_as_run: r#"
        start s1
        user Clean up the build folder and then run the tests please.
        refused cargo clean --release
        compact We talked about cleaning up.
        briefing says wanted `cargo clean --release`, which the user refused
        briefing hides ran `cargo clean
        block hides ran `cargo clean
        block hides Run before:
    "#;
    a_refused_command_after_a_crash_is_not_told_as_run: r#"
        start s1
        user Deploy the service to the staging machine.
        say Let me deploy it.
        refused ./deploy.sh staging --force
        pass 15
        start s2
        briefing says Deploy the service to the staging machine.
        briefing hides ran `./deploy.sh staging --force`
        briefing hides Run before: `./deploy.sh
    "#;
    a_refused_edit_is_not_told_as_an_edit: r#"
        start s1
        user Rename the field in the parser to `offset`.
        refused-edit src/parser.rs
        user Leave the parser as it is and only write the note.
        write NOTE.md
        compact The parser was discussed.
        briefing hides edited parser.rs
        briefing hides Edited, no commit since: src/: parser.rs
        block hides edited parser.rs
    "#;
    a_refused_edit_alone_leaves_nothing_edited: r#"
        start s1
        user Please change the default port in the configuration file.
        refused-edit config/app.toml
        compact Nothing was changed.
        briefing hides Edited
        notes hides Files: config/app.toml
    "#;
    a_command_refused_first_and_run_later_was_run: r#"
        start s1
        user Run the whole test suite of the importer now.
        refused cargo test -p importer
        user Fine, run it.
        bash cargo test -p importer => test result: ok. 4 passed; 0 failed
        compact Done.
        briefing says `cargo test -p importer`
    "#;
    a_refusal_does_not_make_a_passing_check_fail: r#"
        start s1
        user Make the tests of the parser pass again.
        bash cargo test -p parser => test result: ok. 9 passed; 0 failed
        refused cargo test -p parser
        compact Summary.
        briefing hides Fails:
        block hides Fails:
        focus hides cargo test -p parser fails
    "#;
    being_stopped_is_said: r#"
        start s1
        user Rewrite the importer so that it reads the file in chunks.
        edit src/importer.rs
        interrupt
        pass 15
        start s2
        briefing says The user stopped you
        briefing hides In progress: nothing; the user is next
    "#;
    a_stop_in_the_middle_of_a_call_is_said: r#"
        start s1
        user Start the long benchmark and compare it with last week.
        pending cargo bench --all
        interrupt
        pass 15
        start s2
        briefing says stopped
    "#;
    what_is_said_after_a_stop_counts_again: r#"
        start s1
        user Rewrite the importer so that it reads the file in chunks.
        edit src/importer.rs
        interrupt
        user Use the streaming reader that we already have for that.
        edit src/reader.rs
        compact Summary of it.
        briefing hides The user stopped you
    "#;
    next_does_not_offer_a_refused_command: r#"
        start s1
        user Remove the old migration files from the repository.
        refused rm -rf migrations/old
        stop I wait for your decision.
        next hides rm -rf migrations/old
        focus hides rm -rf migrations/old
    "#;
}
