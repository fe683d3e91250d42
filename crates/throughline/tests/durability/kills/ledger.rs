//! The ledger: what was acknowledged, and whether it is still there.

use std::collections::BTreeMap;

use serde_json::Value;
use throughline_domain::State;

use super::tally::{Reached, Tally};
use super::writer::{Kind, Shot};
use crate::scene::{text_of, words_of};

#[derive(Debug, Default)]
pub(crate) struct Ledger {
    words: u64,
    /// Words whose writer ended with 0.
    acknowledged: Vec<String>,
    /// Questions whose answer was acknowledged.
    resolved: BTreeMap<String, String>,
    /// Words of writers that were killed since the last look.
    killed: Vec<String>,
    /// Open questions nobody tries to answer yet.
    questions: Vec<String>,
}

impl Ledger {
    /// Words that no other entry of this life has.
    pub(crate) fn new_words(&mut self) -> String {
        self.words += 1;
        format!("words-{}", self.words)
    }

    pub(crate) fn open_question(&mut self) -> Option<String> {
        self.questions.pop()
    }

    /// Notes what became of a writer. One that was not killed must have succeeded, or have said why not.
    pub(crate) fn note(&mut self, shot: Shot) -> Result<(), String> {
        let Shot { writer, hit, code, said, .. } = shot;
        let is_hook = !matches!(writer.kind, Kind::Add | Kind::Resolve | Kind::Save);
        if hit {
            self.killed.extend(writer.text.filter(|_| writer.resolves.is_none()));
            return Ok(());
        }
        // A question can have left the working set meanwhile, for want of room.
        let gone = writer.kind == Kind::Resolve && said.contains("there is no entry");
        if code != Some(0) && !gone {
            return Err(format!("{writer:?} ended with {code:?}: {said}"));
        }
        if code != Some(0) || is_hook {
            return Ok(());
        }
        if said.contains("by hand")
            || said.contains("rebuilt")
            || said.contains("not recorded on this machine")
        {
            return Err(format!("{writer:?} mended what was whole: {said}"));
        }
        match (writer.resolves, writer.text) {
            (Some(id), Some(answer)) => drop(self.resolved.insert(id, answer)),
            (None, Some(text)) => self.acknowledged.push(text),
            _ => {}
        }
        Ok(())
    }

    /// Compares with what the archive and the state hold now.
    pub(crate) fn compare(
        &mut self,
        rows: &[Value],
        state: Option<&State>,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let by_words: BTreeMap<String, &Value> = rows.iter().map(|row| (words_of(row), row)).collect();
        for text in &self.acknowledged {
            match by_words.get(text) {
                None => return Err(format!("the acknowledged entry `{text}` is gone")),
                Some(row) if row["leftWhy"] == "not committed" => {
                    return Err(format!("the acknowledged entry `{text}` counts as not committed: {row}"));
                }
                Some(_) => {}
            }
        }
        for (id, answer) in &self.resolved {
            let row = rows.iter().find(|row| text_of(row, "id") == *id);
            if !row.is_some_and(|row| row["resolution"] == answer.as_str()) {
                return Err(format!("the acknowledged answer `{answer}` to {id} is gone: {row:?}"));
            }
        }
        for text in self.killed.drain(..) {
            tally.reached(match by_words.get(&text) {
                None => Reached::Nothing,
                Some(row) if row["leftWhy"] == "not committed" => Reached::Outbox,
                Some(_) => Reached::State,
            });
        }
        let open = state.into_iter().flat_map(|state| state.entries(throughline_domain::Kind::Question));
        self.questions =
            open.filter(|entry| !entry.is_resolved()).map(|entry| entry.id.to_string()).collect();
        Ok(())
    }
}
