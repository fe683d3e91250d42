//! Traces: what there is of a scope, by place; and what a look afterwards found.

use throughline_store::door::Spot;

/// What there is of a scope, by place.
#[derive(Debug, Default)]
pub struct Traces {
    /// Entries of the working set.
    pub entries: Vec<String>,
    /// Everything else.
    pub places: Vec<AtPlace>,
    /// Links in the place of our files.
    pub links: Vec<Spot>,
}

/// So much of it is at a place.
#[derive(Debug)]
pub struct AtPlace {
    /// The place's name.
    pub place: &'static str,
    /// How many.
    pub count: u64,
    /// How long they are, where that is known.
    pub bytes: u64,
}

impl Traces {
    /// So many entries of the working set, to begin with.
    pub(super) fn of(entries: Vec<String>) -> Self {
        Self { entries, ..Self::default() }
    }

    /// Adds to a place.
    pub(super) fn put(&mut self, place: &'static str, count: u64, bytes: u64) {
        if count == 0 {
            return;
        }
        match self.places.iter_mut().find(|it| it.place == place) {
            Some(known) => (known.count, known.bytes) = (known.count + count, known.bytes + bytes),
            None => self.places.push(AtPlace { place, count, bytes }),
        }
    }

    /// How many of a place.
    #[must_use]
    pub fn count_at(&self, place: &str) -> u64 {
        self.places.iter().filter(|it| it.place == place).map(|it| it.count).sum()
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.places.is_empty()
    }

    /// How many in all.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.entries.len() as u64 + self.places.iter().map(|it| it.count).sum::<u64>()
    }
}

/// What was looked at afterwards.
#[derive(Debug, Default)]
pub struct Proof {
    /// What is still there.
    pub left: Traces,
    /// Names that were looked for in every byte.
    pub ids: usize,
    /// Files that were searched.
    pub files: usize,
    /// Bytes that were.
    pub bytes: u64,
    /// Files that hold some of it still.
    pub holding: Vec<Spot>,
    /// Pages of the databases that belong to nothing.
    pub free_pages: Vec<(&'static str, u64)>,
    /// Sessions that go on, afresh.
    pub at_work: Vec<String>,
    /// What could not be done.
    pub troubles: Vec<String>,
    /// Databases in which nobody can look.
    pub damaged: Vec<Spot>,
    /// Whether usage was sent to a fleet.
    pub was_sent: bool,
}

impl Proof {
    /// Whether nothing of it was found anywhere.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.left.is_empty()
            && self.holding.is_empty()
            && self.free_pages.iter().all(|(_, pages)| *pages == 0)
            && self.damaged.is_empty()
            && self.troubles.is_empty()
    }
}
