//! Exchange: the other half of what was said: to a question how it was concluded, to the rest what had been asked.

use crate::found::Found;
use crate::passage::{Head, PassageKind};
use crate::weights::EXCHANGE_MAX;

/// How many passages before and behind one are looked through for the other half of its exchange.
#[must_use]
pub fn reach(found: &Found) -> (usize, usize) {
    if found.head.kind == PassageKind::User { (0, EXCHANGE_MAX) } else { (EXCHANGE_MAX, 0) }
}

/// The other half of an exchange: to the user's words how the agent concluded, to others what the user had asked.
///
/// `heads` are the passages within [`reach`], in their order, with the one that was found.
#[must_use]
pub fn other_half(found: &Found, heads: &[(u64, Head)]) -> Option<u64> {
    let is_users = |head: &Head| head.kind == PassageKind::User && !head.is_sidechain;
    let is_said = |head: &Head| head.kind == PassageKind::Assistant && !head.is_sidechain;
    let other = if found.head.kind == PassageKind::User {
        let until = heads.iter().skip(1).take_while(|(_, head)| !is_users(head));
        until.filter(|(_, head)| is_said(head)).last()
    } else {
        heads.iter().rev().skip(1).find(|(_, head)| is_users(head))
    };
    other.map(|(id, _)| *id)
}

#[cfg(test)]
mod tests {
    use PassageKind::{Assistant, Command, User};

    use super::*;
    use crate::found::tests::found;

    fn heads(first: u64, kinds: &[PassageKind]) -> Vec<(u64, Head)> {
        let head = |kind: &PassageKind| Head { kind: *kind, ..found(1, 1.0).head };
        (first..).zip(kinds.iter().map(head)).collect()
    }

    #[test]
    fn to_the_users_words_belongs_the_last_that_was_said_before_the_next_ones() {
        let asked = Found { head: heads(0, &[User])[0].1, ..found(5, 1.0) };
        let behind = heads(5, &[User, Assistant, Command, Assistant, Command, User, Assistant]);
        assert_eq!((reach(&asked), other_half(&asked, &behind)), ((0, EXCHANGE_MAX), Some(8)));
        assert_eq!(other_half(&asked, &behind[..1]), None);
    }

    #[test]
    fn to_other_words_belongs_what_the_user_asked_last() {
        let said = found(5, 1.0);
        let mut before = heads(1, &[User, Assistant, User, Command, Assistant]);
        assert_eq!((reach(&said), other_half(&said, &before)), ((EXCHANGE_MAX, 0), Some(3)));
        before[2].1.is_sidechain = true;
        assert_eq!(other_half(&said, &before), Some(1), "a subagent is asked by the agent");
    }
}
