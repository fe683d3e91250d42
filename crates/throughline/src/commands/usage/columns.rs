//! The columns that every report of totals has.

use throughline_usage::report::Totals;
use throughline_usage::table::{Cell, Column};

/// A column for eyes and programs.
pub(super) fn column(key: &'static str, title: &'static str, goes: u8, is_number: bool) -> Column {
    Column { key, title, goes, is_number }
}

/// The columns of totals.
pub(super) fn columns() -> Vec<Column> {
    vec![
        column("responses", "responses", 6, true),
        column("subagent_responses", "", 0, true),
        column("input_tokens", "input", 4, true),
        column("output_tokens", "output", 1, true),
        column("", "cache write", 5, true),
        column("cache_write_5m_tokens", "", 0, true),
        column("cache_write_1h_tokens", "", 0, true),
        column("cache_read_tokens", "cache read", 3, true),
        column("total_tokens", "total", 0, true),
        column("web_searches", "", 0, true),
        column("cache_efficiency_percent", "cache", 2, true),
        column("cost_usd", "cost", 0, true),
        column("unknown_models", "", 0, false),
    ]
}

/// The cells of totals.
pub(super) fn cells(totals: &Totals) -> Vec<Cell> {
    let tokens = &totals.tokens;
    vec![
        Cell::Number(totals.responses),
        Cell::Number(totals.sidechain_responses),
        Cell::Count(tokens.input),
        Cell::Count(tokens.output),
        Cell::Count(tokens.cache_write_5m + tokens.cache_write_1h),
        Cell::Count(tokens.cache_write_5m),
        Cell::Count(tokens.cache_write_1h),
        Cell::Count(tokens.cache_read),
        Cell::Count(tokens.total()),
        Cell::Count(tokens.web_searches),
        Cell::Percent(totals.cache_percent()),
        Cell::Cost(totals.cost.clone()),
        Cell::Names(totals.cost.unknown_models.iter().cloned().collect()),
    ]
}

/// The models of some totals, without what all of their names have in common.
pub(super) fn model_names(totals: &Totals) -> Cell {
    let names = totals.models_by_weight().into_iter().map(|(name, _)| short_model(name));
    Cell::Names(names.collect())
}

/// `claude-opus-4-5-20251101` as `opus-4-5`.
pub(super) fn short_model(model: &str) -> String {
    let plain = throughline_usage::prices::plain_name(model);
    let name = plain.strip_prefix("claude-").unwrap_or(&plain);
    match name.rsplit_once('-') {
        Some((name, date)) if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) => {
            name.to_owned()
        }
        _ => name.to_owned(),
    }
}
