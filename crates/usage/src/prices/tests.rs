//! Prices against figures worked out by hand from the makers' price lists.

use super::*;

fn tokens(input: u64, output: u64, short: u64, long: u64, read: u64) -> Tokens {
    Tokens { input, output, cache_write_5m: short, cache_write_1h: long, cache_read: read, web_searches: 0 }
}

fn cost(model: &str, tier: Tier, tokens: &Tokens) -> Option<String> {
    Table::built_in().cost(model, tier, tokens).map(|money| format!("{}", money.micros()))
}

const MILLION: u64 = 1_000_000;

#[test]
fn the_built_in_table_is_sound_dated_and_sourced() {
    let table = Table::parse(BUILT_IN, "").unwrap();
    assert_eq!(table.date.len(), 10);
    assert!(table.source.contains("LiteLLM"));
    for (name, model) in &table.models {
        assert_eq!(*name, plain_name(name), "found under its plain name");
        assert!(model.rates.input.is_some() && model.rates.output.is_some(), "{name}");
        if name.starts_with("claude-") {
            assert!(model.rates.all().iter().all(Option::is_some) && model.web_search.is_some(), "{name}");
            let (input, hour) = (model.rates.input.unwrap(), model.rates.cache_write_1h.unwrap());
            assert!((hour - 2.0 * input).abs() < 1e-9, "{name}: an hour in the cache costs twice the input");
        }
    }
}

#[test]
fn each_kind_of_token_has_its_own_price() {
    let usual = Tier::default();
    let one_of_each = tokens(MILLION, MILLION, MILLION, MILLION, MILLION);
    // 5 + 25 + 6.25 + 10 + 0.50
    assert_eq!(cost("claude-opus-4-6", usual, &one_of_each).as_deref(), Some("46750000"));
    assert_eq!(
        cost("claude-opus-4-5-20251101", usual, &tokens(0, 0, 0, MILLION, 0)).as_deref(),
        Some("10000000")
    );
    assert_eq!(
        cost("claude-opus-4-5-20251101", usual, &tokens(0, 0, MILLION, 0, 0)).as_deref(),
        Some("6250000")
    );
    let searched = Tokens { web_searches: 3, ..Tokens::default() };
    assert_eq!(cost("claude-opus-4-6", usual, &searched).as_deref(), Some("30000"));
}

#[test]
fn long_requests_fast_mode_and_region_cost_more_where_the_table_says_so() {
    let tier = |band, is_fast, is_us_only| Tier { band, is_fast, is_us_only };
    let read = tokens(MILLION, 0, 0, 0, 0);
    assert_eq!(cost("claude-haiku-5-5", tier(Band::Usual, false, false), &read).as_deref(), Some("100000"));
    assert_eq!(
        cost("claude-haiku-5-5", tier(Band::Over100K, false, false), &read).as_deref(),
        Some("500000")
    );
    assert_eq!(
        cost("claude-haiku-5-5", tier(Band::Over272K, false, false), &read).as_deref(),
        Some("500000")
    );
    assert_eq!(
        cost("claude-sonnet-4", tier(Band::Over100K, false, false), &read).as_deref(),
        Some("3000000")
    );
    assert_eq!(
        cost("claude-sonnet-4", tier(Band::Over200K, false, false), &read).as_deref(),
        Some("6000000")
    );
    assert_eq!(cost("claude-opus-5", tier(Band::Over200K, true, false), &read).as_deref(), Some("10000000"));
    assert_eq!(cost("claude-opus-5", tier(Band::Usual, true, true), &read).as_deref(), Some("11000000"));
}

#[test]
fn what_the_table_does_not_say_is_unknown_and_not_nothing() {
    let one = tokens(1, 1, 0, 0, 0);
    assert_eq!(cost("claude-next-9", Tier::default(), &one), None);
    assert_eq!(cost("", Tier::default(), &one), None);
    // Known, but not in fast mode.
    assert_eq!(cost("claude-opus-4-6", Tier { is_fast: true, ..Tier::default() }, &one), None);
    // Known, but it has no price for writing into a cache.
    assert_eq!(cost("gpt-5.4", Tier::default(), &tokens(1, 0, 1, 0, 0)), None);
    assert!(cost("gpt-5.4", Tier::default(), &one).is_some());
}

#[test]
fn litellms_list_is_read_as_it_is_published() {
    let list = serde_json::json!({
        "sample_spec": {"litellm_provider": "one of …", "mode": "chat"},
        "claude-new-1": {"litellm_provider": "anthropic", "mode": "chat", "input_cost_per_token": 5e-7,
            "output_cost_per_token": 2.5e-6, "cache_creation_input_token_cost": 6.25e-7,
            "cache_creation_input_token_cost_above_1hr": 1e-6, "cache_read_input_token_cost": 5e-8,
            "input_cost_per_token_above_200k_tokens": 1e-6, "output_cost_per_token_above_200k_tokens": 5e-6,
            "max_input_tokens": 1_000_000, "provider_specific_entry": {"us": 1.1, "fast": 6.0}},
        "claude-new-1-20270101": {"litellm_provider": "anthropic", "mode": "chat", "input_cost_per_token": 9e-7,
            "output_cost_per_token": 2.5e-6},
        "bedrock/x": {"litellm_provider": "bedrock", "mode": "chat", "input_cost_per_token": 1e-6},
        "odd": 7
    });
    let table = Table::parse(&list.to_string(), "2027-01-02").unwrap();
    assert_eq!(table.date, "2027-01-02");
    let names: Vec<&String> = table.models.keys().collect();
    assert_eq!(names, ["claude-new-1", "claude-new-1-20270101"]);
    let model = table.find("claude-new-1").unwrap();
    assert_eq!((model.rates.input, model.rates.cache_write_1h), (Some(0.5), Some(1.0)));
    assert_eq!((model.fast, model.us, model.window), (Some(6.0), Some(1.1), Some(1_000_000)));
    assert_eq!(model.over_200k.unwrap().output, Some(5.0));
    assert_eq!(table.find("claude-new-1-20270101").unwrap().rates.input, Some(0.9));
    assert_eq!(Table::parse(&table.text(), "").unwrap(), table, "written and read back");
}

#[test]
fn an_override_comes_before_the_built_in_prices_and_takes_none_away() {
    let mut table = Table::built_in();
    let count = table.models.len();
    let text = r#"{"form":1,"date":"2027-01-01","source":"mine","models":{"claude-opus-4-6":{"input":1,"output":2}}}"#;
    table.override_with(Table::parse(text, "").unwrap());
    assert_eq!(table.models.len(), count);
    assert_eq!(table.find("claude-opus-4-6").unwrap().rates.input, Some(1.0));
}

#[test]
fn nonsense_is_refused_with_its_reason() {
    let reason = |text: &str| Table::parse(text, "").unwrap_err().0;
    assert!(reason("no json").contains("no JSON"));
    assert!(reason("[]").contains("no JSON object"));
    assert!(reason("{}").contains("neither"));
    assert!(reason(r#"{"form":9,"date":"","source":"","models":{}}"#).contains("form is 9"));
    let negative = r#"{"form":1,"date":"","source":"","models":{"m":{"input":-1}}}"#;
    assert!(reason(negative).contains("-1 is no price (m)"));
}
