//! Proposed anchors: what a session said and should outlive it waits for a person: for a verb, or for being said again by the user.

use throughline_capture::anchors::{Candidate, candidates};
use throughline_domain::ledger::Ledger;
use throughline_domain::proposal::{Offered, Proposal, says_the_same};
use throughline_domain::{Kind, Origin, State, time};
use throughline_engine::anchors::detail_of;
use throughline_store::anchor_proposals;
use throughline_store::lock::Patience;
use throughline_store::memory::{Author, NewEntry};

use crate::hook::Run;
use crate::hook::steps::gate::{self, Session};

/// Offers what the ledger holds; what the user says after it was said before becomes an anchor.
pub(in crate::hook) fn propose(run: &Run, session: &Session, ledger: &Ledger, failures: &mut Vec<String>) {
    let found = candidates(ledger);
    // A fork's transcript begins with a copy of another session's: nothing in it was said twice.
    if found.is_empty() || session.cache.source == "fork" {
        return;
    }
    let recorded = session.memory.peek().ok().flatten().unwrap_or_else(State::empty);
    let folder = session.memory.folder();
    let confirmed = anchor_proposals::update(&folder, Patience::Hook, |proposals| {
        let mut confirmed = Vec::new();
        for candidate in found.iter().filter(|it| !is_recorded(&recorded, it.quote)) {
            if let Offered::Confirmed(proposal) = proposals.offer(proposal_of(run, candidate)) {
                confirmed.push(*proposal);
            }
        }
        confirmed
    });
    match confirmed {
        Ok(confirmed) => record(run, session, confirmed, failures),
        Err(error) => failures.push(error.to_string()),
    }
}

fn is_recorded(state: &State, quote: &str) -> bool {
    let entries = [Kind::Anchor, Kind::Constraint, Kind::Decision].map(|kind| state.entries(kind));
    entries.into_iter().flatten().any(|entry| says_the_same(&entry.text, quote))
}

fn proposal_of(run: &Run, candidate: &Candidate<'_>) -> Proposal {
    let session = &run.payload.session_id;
    Proposal {
        // Masked before it is compared: what waits was masked, too.
        quote: throughline_redact::text(candidate.quote).into_owned(),
        anchor_type: candidate.anchor_type.to_owned(),
        priority: candidate.priority.word().to_owned(),
        by_user: candidate.by_user,
        said_at: format!("{session}:{}", candidate.place.offset),
        session: session.clone(),
        timestamp: time::iso(run.now),
        ..Proposal::default()
    }
}

fn record(run: &Run, session: &Session, confirmed: Vec<Proposal>, failures: &mut Vec<String>) {
    for proposal in confirmed {
        let origin = if proposal.by_user { Origin::User } else { Origin::Assistant };
        let author = Author { origin, ..gate::author(run) };
        let detail = detail_of(&proposal, None);
        let text = proposal.quote.clone();
        let added = session.memory.update(&author, |draft| draft.add_anchor(NewEntry { text, detail }));
        if let Err(error) = added {
            failures.push(format!("anchor: {error}"));
            // It waits on: the next time that the user says it it is confirmed.
            let again = anchor_proposals::update(&session.memory.folder(), Patience::Hook, |proposals| {
                proposals.wait_on(proposal);
            });
            failures.extend(again.err().map(|error| error.to_string()));
        }
    }
}
