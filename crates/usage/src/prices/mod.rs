//! Prices: a dated table of what models cost. What it does not say is unknown, never 0.

mod litellm;
mod names;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use throughline_domain::usage::{Band, Tier, Tokens};

use crate::money::Money;

pub use names::plain_name;

const BUILT_IN: &str = include_str!("../../prices/prices.json");
/// The form that this program writes.
const FORM: u32 = 1;
/// Largest price that is believed: a thousand dollars for a million tokens.
const RATE_MAX: f64 = 1_000.0;

/// A table of prices, with its date and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The form of the file.
    pub form: u32,
    /// When the prices were taken down.
    pub date: String,
    /// From where.
    pub source: String,
    /// What else a reader should know.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// By the models' plain names.
    pub models: BTreeMap<String, Model>,
}

/// What a model costs. Dollars for a million tokens, as price lists print it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The usual rates.
    #[serde(flatten)]
    pub rates: Rates,
    /// Rates of requests that read more than 100,000 tokens, where they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_100k: Option<Rates>,
    /// Likewise from 200,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_200k: Option<Rates>,
    /// Likewise from 272,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_272k: Option<Rates>,
    /// The fast mode costs so many times as much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fast: Option<f64>,
    /// Being served in the United States only costs so many times as much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub us: Option<f64>,
    /// A thousand searches of the web, in dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub web_search: Option<f64>,
    /// Most tokens that it reads at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
}

/// Dollars for a million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// Read, not from the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<f64>,
    /// Written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
    /// Written into the cache for five minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_5m: Option<f64>,
    /// Written into the cache for an hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_1h: Option<f64>,
    /// Read from the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
}

/// Why a text is no table of prices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoTable(pub String);

impl Table {
    /// The table that comes with the program.
    #[must_use]
    pub fn built_in() -> Self {
        Self::parse(BUILT_IN, "").unwrap_or_else(|_| Self {
            form: FORM,
            date: String::new(),
            source: String::new(),
            note: String::new(),
            models: BTreeMap::new(),
        })
    }

    /// Reads a table: in our own form, or as LiteLLM publishes it (then `today` is its date).
    pub fn parse(text: &str, today: &str) -> Result<Self, NoTable> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| NoTable(format!("it is no JSON: {error}")))?;
        let table = if value.get("models").is_some() {
            let table: Self = serde_json::from_value(value).map_err(|error| NoTable(error.to_string()))?;
            if table.form > FORM {
                return Err(NoTable(format!("its form is {}, this program knows up to {FORM}", table.form)));
            }
            table
        } else {
            litellm::table(&value, today)?
        };
        table.checked()
    }

    /// Takes in another table: its prices come before those that are here.
    pub fn override_with(&mut self, other: Self) {
        self.models.extend(other.models);
    }

    /// As a file holds it.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// What a model costs; `None` when nobody knows.
    #[must_use]
    pub fn find(&self, model: &str) -> Option<&Model> {
        let name = plain_name(model);
        self.models.get(&name).or_else(|| self.models.get(names::without_date(&name)?))
    }

    /// What some tokens of a model cost; `None` when the table does not say.
    #[must_use]
    pub fn cost(&self, model: &str, tier: Tier, tokens: &Tokens) -> Option<Money> {
        self.find(model)?.cost(tier, tokens)
    }

    fn checked(self) -> Result<Self, NoTable> {
        if self.models.is_empty() {
            return Err(NoTable("it names no model".to_owned()));
        }
        for (name, model) in &self.models {
            let all = [
                Some(&model.rates),
                model.over_100k.as_ref(),
                model.over_200k.as_ref(),
                model.over_272k.as_ref(),
            ];
            let rates = all.into_iter().flatten().flat_map(Rates::all).flatten();
            let factors = [model.fast, model.us, model.web_search].into_iter().flatten();
            if let Some(odd) = rates.chain(factors).find(|rate| !(0.0..=RATE_MAX).contains(rate)) {
                return Err(NoTable(format!("{odd} is no price ({name})")));
            }
        }
        Ok(self)
    }
}

impl Model {
    fn cost(&self, tier: Tier, tokens: &Tokens) -> Option<Money> {
        let rates = self.rates_at(tier.band);
        let classes = [
            (tokens.input, rates.input),
            (tokens.output, rates.output),
            (tokens.cache_write_5m, rates.cache_write_5m),
            (tokens.cache_write_1h, rates.cache_write_1h),
            (tokens.cache_read, rates.cache_read),
        ];
        let mut parts = 0_u128;
        for (count, rate) in classes {
            if count > 0 {
                // Dollars for a million tokens are millionths of a dollar for one, and parts are millionths of those.
                parts = parts.saturating_add(u128::from(count) * u128::from(millionths(rate?)));
            }
        }
        for factor in [(tier.is_fast, self.fast), (tier.is_us_only, self.us)] {
            if let (true, factor) = factor {
                parts = parts.saturating_mul(u128::from(millionths(factor?))) / 1_000_000;
            }
        }
        if tokens.web_searches > 0 {
            let one = u128::from(millionths(self.web_search?)) * 1_000;
            parts = parts.saturating_add(u128::from(tokens.web_searches) * one);
        }
        Some(Money(parts))
    }

    /// The rates of a band: its own, else those of the next smaller one that has some.
    fn rates_at(&self, band: Band) -> &Rates {
        let steps = [
            (Band::Over272K, &self.over_272k),
            (Band::Over200K, &self.over_200k),
            (Band::Over100K, &self.over_100k),
        ];
        steps
            .into_iter()
            .filter(|(step, _)| *step <= band)
            .find_map(|(_, rates)| rates.as_ref())
            .unwrap_or(&self.rates)
    }
}

impl Rates {
    fn all(&self) -> [Option<f64>; 5] {
        [self.input, self.output, self.cache_write_5m, self.cache_write_1h, self.cache_read]
    }
}

/// A decimal number of a price list as a whole number of millionths: from here on nothing is rounded.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked when the table was read"
)]
fn millionths(number: f64) -> u64 {
    (number * 1e6).round() as u64
}

#[cfg(test)]
mod tests;
