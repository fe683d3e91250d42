//! Questions of the agent's: open until somebody answers them or goes on.

use throughline_domain::ledger::FindingKind;
use throughline_domain::transcript::{Tool, ToolCall};

use super::Session;

#[test]
fn a_question_is_open_until_somebody_goes_on() {
    let mut session = Session::default();
    let ask = || ToolCall { id: "q".into(), purpose: Some("Tabs or spaces?".into()), ..ToolCall::default() };
    session.call(Tool::AskUser, ask());
    assert_eq!(session.ledger.findings[0].kind, FindingKind::Question);
    session.answer("q", "tabs", false);
    assert!(session.ledger.findings.is_empty());
    session.agent("Shall I push?").user("no");
    assert!(session.ledger.findings.is_empty());
}

#[test]
fn a_choice_that_the_user_has_to_make_stays_open_while_he_speaks_of_other_things() {
    let mut session = Session::default();
    session.agent("It makes one commit.\n\nIs that a concern? Options:\n1. **Keep as is**\n2. **Replay the history**\n3. Warn");
    session.user("Q: where does it get the author from? e.g. `explain 7674489`");
    session
        .agent("From the metadata.")
        .user("That author looks wrong to me, there is probably a bug somewhere in there, I think.");
    let asked: Vec<&str> = session.ledger.findings.iter().map(|it| it.quote.as_str()).collect();
    assert_eq!(asked, ["Is that a concern? Options:\n1. **Keep as is**\n2. **Replay the history**\n3. Warn"]);
    session.user("Replay the history, please, as in your options, and then commit what you have.");
    assert!(
        session.ledger.findings.iter().all(|it| it.kind != FindingKind::Question),
        "{:?}",
        session.ledger.findings
    );
    session.agent("Done:\n- one\n- two");
    assert!(session.ledger.findings.iter().all(|it| it.kind != FindingKind::Question));
}
