//! Usage: what a message says about tokens that were used, and how full the context was.

use throughline_domain::Problem;
use throughline_domain::context::{Fill, Moment};
use throughline_domain::time;
use throughline_domain::usage::{Band, RecordId, Tier};

use super::transcript::message::{Message, Role};
use crate::transcript::{Carried, LastUsage};
use crate::usage_line::{Compacted, LineOrigin, UsageLine, UsedTokens};

/// Gives what one line says about use. What a summary took counts as any other answer does.
pub fn read<'l>(
    line: &'l [u8],
    carried: &'l mut Carried,
    take: &mut dyn FnMut(UsageLine<'l>),
) -> Option<Problem> {
    let message = match Message::read(line) {
        Ok(Some(message)) => message,
        Ok(None) => return None,
        Err(what) => return Some(Problem::new("transcript line", what)),
    };
    if message.role == Role::User {
        let asked = message.parts().find(|part| part.kind == b"compaction");
        if let Some(asked) = asked.filter(|_| !message.is_sidechain) {
            (if asked.is_auto { "auto" } else { "manual" }).clone_into(&mut carried.summary);
        }
        return None;
    }
    let origin =
        LineOrigin { at: message.at.and_then(time::parse), session: message.session, cwd: message.cwd() };
    let id = message.id.unwrap_or_default();
    let (is_summary, context) = (message.role == Role::Summary, message.tokens.context());
    if message.tokens.total() > 0 {
        take(UsageLine::Used(UsedTokens {
            id: RecordId::of(&["opencode", id]),
            origin: origin.clone(),
            model: message.model.unwrap_or_default(),
            tier: Tier { band: Band::of(context), ..Tier::default() },
            // What the summariser read is not what stands in the session's context.
            is_sidechain: message.is_sidechain || is_summary,
            tokens: message.tokens,
            context,
        }));
    }
    if message.is_sidechain {
        return None;
    }
    if is_summary {
        let is_auto = std::mem::take(&mut carried.summary) != "manual";
        let tokens_before = Some(std::mem::take(&mut carried.told)).filter(|tokens| *tokens > 0);
        if message.is_done && message.failure.is_none() {
            let id = RecordId::of(&["opencode", "boundary", id]);
            take(UsageLine::Compacted(Compacted { id, origin, is_auto, tokens_before, tokens_after: None }));
        }
    } else if context > 0 {
        carried.told = context;
    }
    None
}

/// What one line tells about how full the context is.
#[must_use]
pub fn moment(line: &[u8]) -> Option<Moment> {
    let message = Message::read(line).ok()??;
    match message.role {
        _ if message.is_sidechain => None,
        Role::User => None,
        Role::Summary => (message.is_done && message.failure.is_none()).then_some(Moment::Compacted),
        Role::Assistant => {
            let used_tokens = Some(message.tokens.context()).filter(|tokens| *tokens > 0)?;
            Some(Moment::Responded(Fill {
                at: message.at.and_then(time::parse),
                used_tokens,
                cache_read_tokens: message.tokens.cache_read,
                model: message.model.map(str::to_owned),
            }))
        }
    }
}

/// The usage of the last response in lines that end a transcript; `None` where a compaction came after it.
#[must_use]
pub fn last_usage(tail: &[u8]) -> Option<LastUsage> {
    let told = tail.rsplit(|byte| *byte == b'\n').find_map(moment)?;
    let Moment::Responded(fill) = told else { return None };
    Some(LastUsage { context_tokens: fill.used_tokens, model: fill.model, at: fill.at, window: None })
}
