//! Totals: slices added up, with their price as far as it is known.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use throughline_domain::Timestamp;
use throughline_domain::slice::Slice;
use throughline_domain::usage::Tokens;

use crate::money::Money;
use crate::prices::Table;

/// What something cost, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cost {
    /// What is known of it.
    pub known: Money,
    /// Whether anything is known.
    pub has_known: bool,
    /// Models whose price is not known: their tokens are counted, their cost is not.
    pub unknown_models: BTreeSet<String>,
}

impl Cost {
    /// Adds what a model's tokens cost.
    pub fn add(&mut self, model: &str, cost: Option<Money>) {
        match cost {
            Some(cost) => {
                self.known += cost;
                self.has_known = true;
            }
            None => drop(self.unknown_models.insert(named(model).to_owned())),
        }
    }

    /// Adds another cost.
    pub fn add_cost(&mut self, other: &Self) {
        self.known += other.known;
        self.has_known |= other.has_known;
        self.unknown_models.extend(other.unknown_models.iter().cloned());
    }

    /// Whether all of it is known.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.unknown_models.is_empty()
    }

    /// `$1.23`, `≥ $1.23` where a part is not known, `unknown` where nothing is.
    #[must_use]
    pub fn text(&self) -> String {
        match (self.is_complete(), self.has_known) {
            (true, _) => self.known.to_string(),
            (false, true) => format!("≥ {}", self.known),
            (false, false) => "unknown".to_owned(),
        }
    }

    /// In dollars; `null` where nothing is known.
    #[must_use]
    pub fn json(&self) -> Value {
        if self.has_known || self.is_complete() { json!(self.known.dollars()) } else { Value::Null }
    }
}

/// A model as it is shown: one without a name is not left blank.
#[must_use]
pub fn named(model: &str) -> &str {
    if model.is_empty() { "(no name)" } else { model }
}

/// Slices added up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Totals {
    /// How many responses.
    pub responses: u64,
    /// How many of them subagents asked for.
    pub sidechain_responses: u64,
    /// What they took.
    pub tokens: Tokens,
    /// What they cost.
    pub cost: Cost,
    /// The fullest that a main conversation's context was.
    pub context_peak: u64,
    /// When the first came.
    pub first: Option<Timestamp>,
    /// When the last came.
    pub last: Option<Timestamp>,
    /// The same by models.
    pub models: BTreeMap<String, ModelTotals>,
}

/// What one model had of the totals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelTotals {
    /// How many responses.
    pub responses: u64,
    /// What they took.
    pub tokens: Tokens,
    /// What they cost.
    pub cost: Cost,
}

impl Totals {
    /// Adds a slice, priced.
    pub fn add(&mut self, slice: &Slice, prices: &Table) {
        let cost = prices.cost(&slice.model, slice.tier, &slice.tokens);
        self.responses += slice.responses;
        self.sidechain_responses += slice.sidechain_responses;
        self.tokens.add(&slice.tokens);
        self.cost.add(&slice.model, cost);
        self.context_peak = self.context_peak.max(slice.context_peak);
        self.first = Some(self.first.map_or(slice.first, |first| first.min(slice.first)));
        self.last = Some(self.last.map_or(slice.last, |last| last.max(slice.last)));
        let model = self.models.entry(named(&slice.model).to_owned()).or_default();
        model.responses += slice.responses;
        model.tokens.add(&slice.tokens);
        model.cost.add(&slice.model, cost);
    }

    /// Adds other totals.
    pub fn merge(&mut self, other: &Self) {
        self.responses += other.responses;
        self.sidechain_responses += other.sidechain_responses;
        self.tokens.add(&other.tokens);
        self.cost.add_cost(&other.cost);
        self.context_peak = self.context_peak.max(other.context_peak);
        self.first = [self.first, other.first].into_iter().flatten().min();
        self.last = self.last.max(other.last);
        for (name, totals) in &other.models {
            let model = self.models.entry(name.clone()).or_default();
            model.responses += totals.responses;
            model.tokens.add(&totals.tokens);
            model.cost.add_cost(&totals.cost);
        }
    }

    /// All of these slices together.
    #[must_use]
    pub fn of<'s>(slices: impl IntoIterator<Item = &'s Slice>, prices: &Table) -> Self {
        let mut totals = Self::default();
        for slice in slices {
            totals.add(slice, prices);
        }
        totals
    }

    /// Of everything that was read, the percentage that came from the cache.
    #[must_use]
    pub fn cache_percent(&self) -> Option<f64> {
        cache_percent(&self.tokens)
    }

    /// The models, those that cost most first, then those that took most.
    #[must_use]
    pub fn models_by_weight(&self) -> Vec<(&str, &ModelTotals)> {
        let mut models: Vec<_> = self.models.iter().map(|(name, totals)| (name.as_str(), totals)).collect();
        models.sort_by_key(|(name, totals)| {
            (std::cmp::Reverse((totals.cost.known, totals.tokens.total())), (*name).to_owned())
        });
        models
    }

    /// As JSON.
    #[must_use]
    pub fn json(&self) -> Map<String, Value> {
        let models: Vec<Value> = self
            .models_by_weight()
            .into_iter()
            .map(|(name, totals)| {
                let mut model = Map::new();
                model.insert("model".to_owned(), json!(name));
                put(&mut model, totals.responses, &totals.tokens, &totals.cost);
                Value::Object(model)
            })
            .collect();
        let mut object = Map::new();
        put(&mut object, self.responses, &self.tokens, &self.cost);
        object.insert("subagent_responses".to_owned(), json!(self.sidechain_responses));
        object.insert("first_at".to_owned(), json!(self.first.map(throughline_domain::time::iso)));
        object.insert("last_at".to_owned(), json!(self.last.map(throughline_domain::time::iso)));
        object.insert("models".to_owned(), Value::Array(models));
        object
    }
}

fn put(object: &mut Map<String, Value>, responses: u64, tokens: &Tokens, cost: &Cost) {
    let fields = json!({
        "responses": responses,
        "input_tokens": tokens.input,
        "output_tokens": tokens.output,
        "cache_write_5m_tokens": tokens.cache_write_5m,
        "cache_write_1h_tokens": tokens.cache_write_1h,
        "cache_read_tokens": tokens.cache_read,
        "total_tokens": tokens.total(),
        "web_searches": tokens.web_searches,
        "cache_efficiency_percent": cache_percent(tokens).map(|percent| (percent * 100.0).round() / 100.0),
        "cost_usd": cost.json(),
        "cost_is_complete": cost.is_complete(),
        "unknown_models": cost.unknown_models,
    });
    if let Value::Object(fields) = fields {
        object.extend(fields);
    }
}

/// Of everything that was read (from the cache, into it, or past it), the percentage that came from the cache.
#[expect(clippy::cast_precision_loss, reason = "a percentage for eyes")]
fn cache_percent(tokens: &Tokens) -> Option<f64> {
    let read = tokens.context();
    (read > 0).then(|| 100.0 * tokens.cache_read as f64 / read as f64)
}

/// Slices added up by what `key` says of each; those it says nothing of are left out.
pub fn grouped<K: Ord>(
    slices: &[Slice],
    prices: &Table,
    key: impl Fn(&Slice) -> Option<K>,
) -> BTreeMap<K, Totals> {
    let mut groups: BTreeMap<K, Totals> = BTreeMap::new();
    for slice in slices {
        if let Some(key) = key(slice) {
            groups.entry(key).or_default().add(slice, prices);
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use throughline_domain::usage::Tier;

    use super::*;

    fn slice(model: &str, tokens: Tokens) -> Slice {
        Slice {
            period: None,
            slot: None,
            session: None,
            project: None,
            agent: None,
            machine: None,
            user: None,
            model: model.to_owned(),
            tier: Tier::default(),
            responses: 1,
            sidechain_responses: 0,
            tokens,
            context_peak: 0,
            first: Timestamp::UNIX_EPOCH,
            last: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn cache_efficiency_is_a_share_of_what_was_read_and_never_above_100() {
        // An older tool divided by what was not cached: 18,000 %.
        let tokens = Tokens { input: 100, cache_read: 18_000, cache_write_1h: 900, ..Tokens::default() };
        let totals = Totals::of(&[slice("claude-opus-4-6", tokens)], &Table::built_in());
        assert!((totals.cache_percent().unwrap() - 100.0 * 18_000.0 / 19_000.0).abs() < 1e-9);
        assert_eq!(Totals::default().cache_percent(), None);
    }

    #[test]
    fn an_unknown_model_makes_a_sum_a_lower_bound_and_is_named() {
        let million = Tokens { output: 1_000_000, ..Tokens::default() };
        let known = slice("claude-opus-4-6", million);
        let unknown = slice("claude-next-9", million);
        let prices = Table::built_in();
        let both = Totals::of(&[known.clone(), unknown.clone()], &prices);
        assert_eq!(both.cost.text(), "≥ $25.00");
        assert_eq!((both.tokens.output, both.json()["cost_usd"].as_f64()), (2_000_000, Some(25.0)));
        assert_eq!(both.json()["cost_is_complete"], json!(false));
        assert_eq!(both.json()["unknown_models"], json!(["claude-next-9"]));
        let alone = Totals::of(&[unknown], &prices);
        assert_eq!((alone.cost.text().as_str(), alone.json()["cost_usd"].clone()), ("unknown", Value::Null));
        assert_eq!(Totals::of(&[known], &prices).cost.text(), "$25.00");
        assert_eq!(Totals::default().cost.text(), "$0.00");
    }
}
