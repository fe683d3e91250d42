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
use crate::hook::gate::Gate;

/// Offers what the ledger holds; what the user says after it was said before becomes an anchor.
pub(in crate::hook) fn propose(gate: &Gate<'_>, ledger: &Ledger) {
    let found = candidates(ledger);
    // A fork's transcript begins with a copy of another session's: nothing in it was said twice.
    if found.is_empty() || gate.facts.source == "fork" {
        return;
    }
    let recorded = gate.state();
    let folder = gate.memory.folder();
    let confirmed = anchor_proposals::update(&folder, Patience::Hook, |proposals| {
        let mut confirmed = Vec::new();
        for candidate in found.iter().filter(|it| !is_recorded(&recorded, it.quote)) {
            if let Offered::Confirmed(proposal) = proposals.offer(proposal_of(gate.run, candidate)) {
                confirmed.push(*proposal);
            }
        }
        confirmed
    });
    if let Some(confirmed) = gate.run.failures.keep(confirmed) {
        record(gate, confirmed);
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

fn record(gate: &Gate<'_>, confirmed: Vec<Proposal>) {
    for proposal in confirmed {
        let origin = if proposal.by_user { Origin::User } else { Origin::Assistant };
        let author = Author { origin, ..gate.author() };
        let detail = detail_of(&proposal, None);
        let text = proposal.quote.clone();
        let added = gate.update_as(&author, |draft| draft.add_anchor(NewEntry { text, detail }));
        if gate.run.failures.keep_of("anchor", added).is_none() {
            // It waits on: the next time that the user says it it is confirmed.
            let again = anchor_proposals::update(&gate.memory.folder(), Patience::Hook, |proposals| {
                proposals.wait_on(proposal);
            });
            gate.run.failures.keep(again);
        }
    }
}
