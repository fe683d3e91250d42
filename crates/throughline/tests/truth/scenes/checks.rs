//! Checks: what passes is not told as failing, what fails not as passing (numbers 2, 3 and 12).

use super::scenes;

scenes! {
    the_same_suite_with_other_flags_passes_and_is_not_told_as_failing: r#"
        start s1
        user Fix the failing unit tests in the calculator module.
        fails python3 -m unittest => FAILED (failures=2)
        edit calc.py
        bash python3 -m unittest -v 2>&1 | tail -5 => Ran 12 tests in 0.01s\n\nOK
        compact The calculator was mended.
        briefing hides Fails:
        block hides Fails:
        notes hides **Fails:**
    "#;
    the_same_suite_piped_into_tail_is_the_same_check: r#"
        start s1
        user Get the integration tests of the importer to pass.
        fails cargo test --test importer => test import_blank ... FAILED\n\ntest result: FAILED. 3 passed; 1 failed
        edit src/importer.rs
        bash cargo test --test importer 2>&1 | tail -3 => test result: ok. 4 passed; 0 failed
        compact Summary.
        briefing hides Fails:
        focus hides cargo test --test importer fails
        away hides failed last
    "#;
    a_check_that_fails_last_is_told_as_failing: r#"
        start s1
        user Get the integration tests of the importer to pass.
        bash cargo test --test importer => test result: ok. 4 passed; 0 failed
        edit src/importer.rs
        fails cargo test --test importer => test import_blank ... FAILED\n\ntest result: FAILED. 3 passed; 1 failed
        compact All is well.
        briefing says cargo test --test importer
        block says cargo test --test importer
    "#;
    a_result_that_is_not_on_disk_yet_is_known_from_the_batch: r#"
        start s1
        user Fix the importer so that its tests pass.
        fails cargo test -p importer => test blank ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed
        edit src/importer.rs
        late-ok cargo test -p importer => test result: ok. 2 passed; 0 failed
        precompact
        block hides Fails:
        block hides failed
    "#;
    a_failure_that_is_not_on_disk_yet_is_known_from_the_batch: r#"
        start s1
        user Fix the importer so that its tests pass.
        bash cargo test -p importer => test result: ok. 2 passed; 0 failed
        edit src/importer.rs
        late-fails cargo test -p importer => test blank ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed
        precompact
        block says cargo test -p importer
        block says 1 failed
        block hides passed: 2 passed
    "#;
    a_late_result_in_a_pipe_is_known_by_its_counts: r#"
        start s1
        user Fix the importer so that its tests pass.
        fails pytest tests/importer => FAILED tests/importer/test_x.py::test_blank\n1 failed, 3 passed in 0.10s
        edit importer.py
        late-ok pytest tests/importer 2>&1 | tail -4 => 4 passed in 0.09s
        precompact
        block hides Fails:
    "#;
    a_run_whose_end_nobody_knows_is_not_told_as_failing: r#"
        start s1
        user Fix the importer so that its tests pass.
        fails cargo test -p importer => test blank ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed
        edit src/importer.rs
        pending cargo test -p importer
        precompact
        block hides Fails:
    "#;
    a_late_result_is_not_kept_where_the_transcript_tells_another: r#"
        start s1
        user Fix the importer so that its tests pass.
        fails cargo test -p importer => test blank ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed
        edit src/importer.rs
        late-ok cargo test -p importer => test result: ok. 2 passed; 0 failed
        precompact
        block hides Fails:
        fails cargo test -p importer => test blank ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed
        precompact
        block says Fails:
    "#;
    what_passed_before_the_last_edit_is_not_told_as_the_state_of_now: r#"
        start s1
        user Speed up the parser without breaking its tests.
        bash cargo test -p parser => test result: ok. 9 passed; 0 failed
        edit src/parser.rs
        compact Summary.
        briefing hides Next, not run since the last edit: `cargo test -p parser` passed
        briefing hides Next, not run since the last edit:\n`cargo test -p parser` passed
    "#;
    what_passed_after_the_last_edit_is_told_as_passed: r#"
        start s1
        user Speed up the parser without breaking its tests.
        edit src/parser.rs
        bash cargo test -p parser => test result: ok. 9 passed; 0 failed
        compact Summary.
        briefing says `cargo test -p parser` passed
        briefing hides not run since
    "#;
    a_wider_run_that_passes_settles_the_narrow_failure: r#"
        start s1
        user Make all tests of the workspace pass.
        fails cargo test -p parser => test x ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed
        edit src/parser.rs
        bash cargo test -p parser => test result: ok. 2 passed; 0 failed
        bash cargo test => test result: ok. 40 passed; 0 failed
        compact Summary.
        briefing hides Fails:
        next hides cargo test -p parser
    "#;
    a_failing_linter_is_no_failing_test: r#"
        start s1
        user Tidy the code and keep the tests green.
        bash cargo test => test result: ok. 40 passed; 0 failed
        fails cargo clippy => error: unused variable `x`
        compact Summary.
        briefing says cargo clippy
        briefing hides `cargo test` failed
    "#;
    a_check_in_the_background_is_neither_passed_nor_failed: r#"
        start s1
        user Run the long end-to-end tests in the background.
        bash npm run e2e => Command running in background with ID: b1a2
        compact Summary.
        briefing hides `npm run e2e` passed
        briefing hides `npm run e2e` failed
        block hides `npm run e2e` passed
    "#;
}
