//! Places: which passages that answer are shown together, so that each result is somewhere else.

use crate::found::{Found, Searched};
use crate::passage::{Head, Placed};
use crate::weights::{ALSO_MAX, ALSO_SHARE};

/// A place in a session that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The passage that answers best there.
    pub found: Found,
    /// The other half of its exchange.
    pub other: Option<Placed>,
    /// What answers too and stands near it.
    pub also: Vec<Found>,
}

/// Places of sessions, best first: what answers too and stands near a better passage is shown with it.
#[derive(Debug, Default)]
pub struct Places {
    places: Vec<Said>,
    /// What is shown with a better one, as the other half of its exchange or beside it, needs no place of its own.
    shown: Vec<u64>,
}

impl Places {
    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// Whether a passage is shown with a better one already.
    #[must_use]
    pub fn has(&self, found: &Found) -> bool {
        self.shown.contains(&found.id)
    }

    /// Adds the place of a passage: with the other half of its exchange, and of what is [`near`] what is shown nowhere.
    pub fn add(&mut self, found: Found, other: Option<Placed>, mut near: Vec<Found>) {
        self.shown.extend(other.iter().map(|other| other.id));
        near.retain(|it| !self.shown.contains(&it.id));
        near.truncate(ALSO_MAX);
        self.shown.extend(near.iter().map(|it| it.id));
        self.places.push(Said { found, other, also: near });
    }

    /// The places.
    #[must_use]
    pub fn into_said(self) -> Vec<Said> {
        self.places
    }
}

/// The passages around one, without itself. `heads` are those within [`PLACE_PASSAGES`](crate::weights::PLACE_PASSAGES).
#[must_use]
pub fn beside(found: &Found, heads: &[(u64, Head)]) -> Vec<u64> {
    heads.iter().map(|(id, _)| *id).filter(|id| *id != found.id).collect()
}

/// What answers too and stands near a passage, best first: of the passages `beside` it those that the search found, and
/// those that were `read` for it.
#[must_use]
pub fn near(found: &Found, beside: &[u64], searched: &Searched, read: Vec<Found>) -> Vec<Found> {
    let mut near: Vec<Found> = searched.found.iter().filter(|it| beside.contains(&it.id)).cloned().collect();
    near.extend(read);
    near.retain(|it| it.answer.score >= ALSO_SHARE * found.answer.score);
    near.sort_by(Found::by_score);
    near
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found::tests::found;

    fn ids(found: &[Found]) -> Vec<u64> {
        found.iter().map(|it| it.id).collect()
    }

    #[test]
    fn what_is_shown_with_a_better_one_has_no_place_of_its_own() {
        let mut places = Places::default();
        let other = Placed { id: 4, head: found(4, 0.0).head, text: String::new() };
        places.add(
            found(5, 9.0),
            Some(other),
            (4..12).filter(|id| *id != 5).map(|id| found(id, 1.0)).collect(),
        );
        assert!([4, 6, 7, 8, 9].iter().all(|id| places.has(&found(*id, 1.0))));
        assert!(!places.has(&found(10, 1.0)), "more than are shown");
        places.add(found(10, 3.0), None, vec![found(9, 2.0), found(11, 1.0)]);
        assert_eq!(places.count(), 2);
        let said = places.into_said();
        assert_eq!((ids(&said[0].also), ids(&said[1].also)), (vec![6, 7, 8, 9], vec![11]));
    }

    #[test]
    fn near_is_what_stands_beside_and_answers_nearly_as_well() {
        let best = found(5, 10.0);
        let heads: Vec<(u64, Head)> = (3..8).map(|id| (id, best.head)).collect();
        let beside = beside(&best, &heads);
        assert_eq!(beside, [3, 4, 6, 7]);
        let searched = Searched::new(vec![found(5, 10.0), found(9, 9.0), found(4, 2.0)], Vec::new());
        let read = vec![found(6, 3.0), found(7, 0.9), found(3, 2.0)];
        assert_eq!(ids(&near(&best, &beside, &searched, read)), [6, 4, 3]);
    }
}
