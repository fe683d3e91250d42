//! LiteLLM's public price list, read into a table of ours: dollars for one token, one flat object a model.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{FORM, Model, NoTable, Rates, Table, names, plain_name};

/// Whose models are taken, and the word before their names.
const PROVIDERS: [(&str, &str); 3] = [("anthropic", "claude-"), ("openai", ""), ("gemini", "gemini/")];
/// What is no model that a coding agent talks to.
const OTHERS: [&str; 10] =
    ["audio", "realtime", "search", "image", "tts", "ft:", "container", "robotics", "lyria", "gemma"];
/// The maker's price of a thousand searches, where the list leaves it out.
const ANTHROPIC_WEB_SEARCH: f64 = 10.0;

/// The table that the list holds.
pub(super) fn table(list: &Value, today: &str) -> Result<Table, NoTable> {
    let Some(list) = list.as_object() else { return Err(NoTable("it is no JSON object".to_owned())) };
    let mut models: BTreeMap<String, Model> = BTreeMap::new();
    for (name, entry) in list {
        let Some(entry) = entry.as_object() else { continue };
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let provider = text("litellm_provider");
        let is_taken = PROVIDERS.iter().any(|(known, start)| provider == *known && name.starts_with(start))
            && matches!(text("mode"), "chat" | "responses")
            && !OTHERS.iter().any(|word| name.contains(word));
        let model = model(entry, provider);
        if !is_taken || model.rates.input.is_none() || model.rates.output.is_none() {
            continue;
        }
        let name = plain_name(name);
        // The name without a date stands for the one with it, unless both are there and differ.
        let short = names::without_date(&name).map(str::to_owned);
        match short {
            Some(short) if models.get(&short).is_none_or(|known| *known == model) => {
                models.insert(short, model)
            }
            _ => models.insert(name, model),
        };
    }
    if models.is_empty() {
        return Err(NoTable("it is neither a table of ours nor LiteLLM's price list".to_owned()));
    }
    let source = "LiteLLM, model_prices_and_context_window.json".to_owned();
    Ok(Table { form: FORM, date: today.to_owned(), source, note: String::new(), models })
}

fn model(entry: &Map<String, Value>, provider: &str) -> Model {
    let is_anthropic = provider == "anthropic";
    let over = |step: &str| {
        Some(rates(entry, &format!("_above_{step}_tokens"))).filter(|rates| rates.input.is_some())
    };
    let factor = |key: &str| entry.get("provider_specific_entry")?.get(key)?.as_f64();
    Model {
        rates: rates(entry, ""),
        over_100k: over("100k"),
        over_200k: over("200k"),
        over_272k: over("272k"),
        fast: factor("fast"),
        us: factor("us"),
        web_search: is_anthropic.then_some(ANTHROPIC_WEB_SEARCH),
        window: entry.get("max_input_tokens").and_then(Value::as_u64),
    }
}

fn rates(entry: &Map<String, Value>, step: &str) -> Rates {
    let rate = |name: &str| Some(per_million(entry.get(&format!("{name}{step}"))?.as_f64()?));
    Rates {
        input: rate("input_cost_per_token"),
        output: rate("output_cost_per_token"),
        cache_write_5m: rate("cache_creation_input_token_cost"),
        cache_write_1h: rate("cache_creation_input_token_cost_above_1hr"),
        cache_read: rate("cache_read_input_token_cost"),
    }
}

/// Dollars for a million tokens, with the six digits that price lists have at most.
fn per_million(one: f64) -> f64 {
    (one * 1e12).round() / 1e6
}
