//! Usage lines: what a line of the session file says about tokens that were used.
//!
//! A message comes again when more of it is known: whoever adds up must do it by [`crate::usage_line::UsedTokens::id`].

use std::borrow::Cow;

use throughline_domain::Problem;
use throughline_domain::time;
use throughline_domain::usage::{Band, RecordId, Tier, Tokens};

use super::Raw;
use super::transcript::{Message, Record, list, read as record};
use crate::transcript::Carried;
use crate::usage_line::{Compacted, LineOrigin, UsageLine, UsedTokens};

/// Reads one line; gives what it says to `each`.
pub fn read<'l>(
    line: &'l [u8],
    carried: &'l mut Carried,
    each: &mut dyn FnMut(UsageLine<'l>),
) -> Option<Problem> {
    match record(line) {
        Ok(Record::Header(header)) => header.carry(carried),
        Ok(Record::List(messages, _)) => {
            let found = list(messages);
            if let Some(folder) = found.folder() {
                folder.clone_into(&mut carried.cwd);
            }
            // The same list comes again when the session is resumed.
            if let Some(compression) = found.compression.filter(|it| it.id != carried.summary) {
                compression.id.clone_into(&mut carried.summary);
                let carried = &*carried;
                each(UsageLine::Compacted(Compacted {
                    id: RecordId::of(&["gemini boundary", compression.id]),
                    origin: origin(carried, compression.timestamp),
                    // Nothing tells one that the user asked for from the others.
                    is_auto: true,
                    tokens_before: None,
                    tokens_after: None,
                }));
            }
        }
        Ok(Record::Message(message)) if message.kind == b"gemini" => {
            if let Some(used) = used(&message, carried) {
                each(UsageLine::Used(used));
            }
        }
        Ok(Record::Message(_) | Record::Nothing) => {}
        Err(what) => return Some(Problem::new("transcript line", what)),
    }
    None
}

fn used<'l>(message: &Message<'l>, carried: &'l Carried) -> Option<UsedTokens<'l>> {
    let (tokens, context) = counts(message.tokens?);
    let id = message.id?;
    (tokens.total() > 0).then(|| UsedTokens {
        id: RecordId::of(&["gemini", id]),
        origin: origin(carried, message.timestamp),
        model: message.model.unwrap_or_default(),
        tier: Tier { band: Band::of(context), ..Tier::default() },
        is_sidechain: carried.is_sidechain,
        tokens,
        context,
    })
}

/// The server counts what it read from its cache among what it was asked, and what the model thought apart from what it said.
fn counts(counts: Raw<'_>) -> (Tokens, u64) {
    let (mut asked, mut cached, mut said, mut thought, mut tool) = (0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
    for (key, value) in counts.members() {
        let count = || value.count().unwrap_or(0);
        match key {
            b"input" => asked = count(),
            b"cached" => cached = count(),
            b"output" => said = count(),
            b"thoughts" => thought = count(),
            b"tool" => tool = count(),
            _ => {}
        }
    }
    let cached = cached.min(asked);
    let tokens = Tokens {
        input: (asked - cached).saturating_add(tool),
        output: said.saturating_add(thought),
        cache_read: cached,
        ..Tokens::default()
    };
    (tokens, asked)
}

fn origin<'l>(carried: &'l Carried, timestamp: Option<&'l str>) -> LineOrigin<'l> {
    let known = |text: &'l str| Some(text).filter(|text| !text.is_empty());
    LineOrigin {
        at: timestamp.and_then(time::parse),
        session: known(&carried.session),
        cwd: known(&carried.cwd).map(Cow::Borrowed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &[&str]) -> Vec<String> {
        let mut carried = Carried::default();
        let mut told = Vec::new();
        for line in lines {
            let problem = read(line.as_bytes(), &mut carried, &mut |usage| {
                told.push(match usage {
                    UsageLine::Used(used) => format!(
                        "{} {}/{}/{} context {} of {} in {}{}",
                        used.model,
                        used.tokens.input,
                        used.tokens.cache_read,
                        used.tokens.output,
                        used.context,
                        used.origin.session.unwrap_or_default(),
                        used.origin.cwd.unwrap_or_default(),
                        if used.is_sidechain { " aside" } else { "" }
                    ),
                    UsageLine::Compacted(_) => "compacted".to_owned(),
                });
            });
            assert_eq!(problem, None);
        }
        told
    }

    const LIST: &str = r#"{"$set":{"messages":[{"id":"d0","timestamp":"2026-11-18T07:00:00Z","type":"user","content":[{"text":"<session_context>\nx\n- **Workspace Directories:**\n  - /home/me/app\n- **Directory"}]}],"lastUpdated":"2026-11-18T07:00:00Z"}}"#;
    const COMPRESSED: &str = r#"{"$set":{"messages":[{"id":"d0","timestamp":"2026-11-18T07:00:00Z","type":"user","content":[{"text":"x"}]},{"id":"u","timestamp":"2026-11-18T07:00:00Z","type":"user","content":[{"text":"<state_snapshot>s</state_snapshot>"}]},{"id":"a","timestamp":"2026-11-18T07:00:00Z","type":"gemini","content":[{"text":"Got it. Thanks for the additional context!"}]}],"lastUpdated":"2026-11-18T07:00:00Z"}}"#;

    #[test]
    fn what_was_cached_is_taken_out_of_the_input_and_thoughts_are_output() {
        let message = r#"{"id":"m1","timestamp":"2026-11-18T07:00:01Z","type":"gemini","content":"","tokens":{"input":1050,"output":20,"cached":1000,"thoughts":7,"tool":3,"total":1080},"model":"gemini-2.5-flash"}"#;
        let header = r#"{"sessionId":"s","projectHash":"h","kind":"main"}"#;
        assert_eq!(
            told(&[header, LIST, message, COMPRESSED, COMPRESSED]),
            ["gemini-2.5-flash 53/1000/27 context 1050 of s in /home/me/app", "compacted"]
        );
        let aside = r#"{"sessionId":"t","projectHash":"h","kind":"subagent","directories":["/home/me/app"]}"#;
        assert_eq!(
            told(&[aside, message]),
            ["gemini-2.5-flash 53/1000/27 context 1050 of t in /home/me/app aside"]
        );
    }

    #[test]
    fn a_message_that_comes_again_is_the_same_response() {
        let mut ids = Vec::new();
        for line in [
            r#"{"id":"m1","type":"gemini","content":"","tokens":{"input":5,"output":1},"model":"m"}"#,
            r#"{"id":"m1","type":"gemini","content":"","tokens":{"input":5,"output":1},"model":"m","toolCalls":[]}"#,
        ] {
            read(line.as_bytes(), &mut Carried::default(), &mut |usage| {
                if let UsageLine::Used(used) = usage {
                    ids.push(used.id);
                }
            });
        }
        assert_eq!(ids.len(), 2);
        assert_eq!(ids[0], ids[1]);
    }

    #[test]
    fn a_report_of_nothing_and_the_clients_own_turns_used_nothing() {
        assert!(
            told(&[
                r#"{"id":"m1","type":"gemini","content":"x","tokens":null,"model":"m"}"#,
                r#"{"id":"m2","type":"gemini","content":"x","tokens":{"input":0,"output":0},"model":"m"}"#,
                r#"{"id":"m3","type":"user","content":"x","tokens":{"input":5}}"#,
            ])
            .is_empty()
        );
        let problem = read(b"{\"id\":", &mut Carried::default(), &mut |_| {});
        assert!(problem.is_some());
    }
}
