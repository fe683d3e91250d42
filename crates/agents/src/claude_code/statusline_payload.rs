//! Status line payloads: what the client tells about the context, the model, the session and its limits.

use serde::Deserialize;
use throughline_domain::usage_memory::ContextSize;
use throughline_domain::{Timestamp, time};

use super::loose::{FromJson, Loose, Object};
use crate::status_line::{Context, RateLimit, StatuslinePayload};

/// Reads a payload; `None` when it is none, or says nothing that we know.
#[must_use]
pub fn parse(bytes: &[u8]) -> Option<StatuslinePayload> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let parsed = serde_json::from_slice::<Raw>(bytes)
        // Invalid UTF-8 somewhere inside must not cost the fields that are fine.
        .or_else(|_| serde_json::from_str(&String::from_utf8_lossy(bytes)));
    let payload = StatuslinePayload::from(parsed.ok()?);
    (payload != StatuslinePayload::default()).then_some(payload)
}

impl From<Raw> for StatuslinePayload {
    fn from(raw: Raw) -> Self {
        let (model, workspace) = (object(raw.model), object(raw.workspace));
        let (cost, window) = (object(raw.cost), object(raw.context_window));
        let limits = object(raw.rate_limits);
        Self {
            session_id: raw.session_id.0.unwrap_or_default(),
            session_name: raw.session_name.0,
            transcript_path: raw.transcript_path.0,
            cwd: workspace.current_dir.0.or(raw.cwd.0),
            project_folder: workspace.project_dir.0,
            version: raw.version.0,
            model_name: model.display_name.0.or_else(|| model.id.0.clone()),
            model_id: model.id.0,
            effort: object(raw.effort).level.0,
            is_thinking: object(raw.thinking).enabled.0,
            is_fast: raw.fast_mode.0,
            output_style: object(raw.output_style).name.0,
            vim_mode: object(raw.vim).mode.0,
            agent_name: object(raw.agent).name.0,
            worktree: object(raw.worktree).name.0,
            window_tokens: window.context_window_size.0.filter(|size| *size > 0),
            context: window.current_usage.0.map_or(Context::Unknown, |usage| usage.0.into()),
            exceeds_200k: raw.exceeds_200k_tokens.0,
            cost_micros: cost.total_cost_usd.0.and_then(micros),
            duration_ms: cost.total_duration_ms.0,
            api_duration_ms: cost.total_api_duration_ms.0,
            lines_added: cost.total_lines_added.0,
            lines_removed: cost.total_lines_removed.0,
            cache_expires_at: object(raw.prompt_cache).expires_at.0.map(|time| time.0),
            five_hours: object(limits.five_hour).into(),
            seven_days: object(limits.seven_day).into(),
        }
    }
}

fn object<T: Default>(loose: Loose<Object<T>>) -> T {
    loose.0.map(|object| object.0).unwrap_or_default()
}

/// Dollars in millionths, rounded; `None` for what is no sum of money.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked right before")]
fn micros(dollars: f64) -> Option<u64> {
    (0.0..1e9).contains(&dollars).then(|| (dollars * 1e6).round() as u64)
}

impl From<Usage> for Context {
    fn from(usage: Usage) -> Self {
        let is_said = usage.input_tokens.0.is_some()
            || usage.cache_creation_input_tokens.0.is_some()
            || usage.cache_read_input_tokens.0.is_some();
        let known = ContextSize {
            input: usage.input_tokens.0.unwrap_or(0),
            output: usage.output_tokens.0.unwrap_or(0),
            cache_create: usage.cache_creation_input_tokens.0.unwrap_or(0),
            cache_read: usage.cache_read_input_tokens.0.unwrap_or(0),
        };
        match (is_said, known.used()) {
            (false, _) => Self::Unknown,
            (true, 0) => Self::Zeros,
            (true, _) => Self::Known(known),
        }
    }
}

impl From<Limit> for Option<RateLimit> {
    fn from(limit: Limit) -> Self {
        let percent = limit.used_percentage.0.filter(|percent| *percent >= 0.0)?;
        Some(RateLimit { percent, resets_at: limit.resets_at.0.map(|time| time.0) })
    }
}

/// A time: seconds since 1970, or written out.
struct EpochOrText(Timestamp);

impl FromJson for EpochOrText {
    fn from_whole(seconds: u64) -> Option<Self> {
        Timestamp::from_second(i64::try_from(seconds).ok()?).ok().map(Self)
    }

    fn from_number(seconds: f64) -> Option<Self> {
        u64::from_number(seconds).and_then(Self::from_whole)
    }

    fn from_text(text: &str) -> Option<Self> {
        time::parse(text).map(Self)
    }
}

type Text = Loose<String>;
type Whole = Loose<u64>;
type Part<T> = Loose<Object<T>>;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Raw {
    session_id: Text,
    session_name: Text,
    transcript_path: Text,
    cwd: Text,
    version: Text,
    model: Part<Model>,
    workspace: Part<Workspace>,
    effort: Part<Effort>,
    thinking: Part<Thinking>,
    fast_mode: Loose<bool>,
    output_style: Part<Named>,
    vim: Part<Vim>,
    agent: Part<Named>,
    worktree: Part<Named>,
    context_window: Part<Window>,
    exceeds_200k_tokens: Loose<bool>,
    cost: Part<Cost>,
    prompt_cache: Part<PromptCache>,
    rate_limits: Part<Limits>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Model {
    id: Text,
    display_name: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Workspace {
    current_dir: Text,
    project_dir: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Effort {
    level: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Thinking {
    enabled: Loose<bool>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Named {
    name: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Vim {
    mode: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Window {
    context_window_size: Whole,
    current_usage: Part<Usage>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "these are the client's names")]
struct Usage {
    input_tokens: Whole,
    output_tokens: Whole,
    cache_creation_input_tokens: Whole,
    cache_read_input_tokens: Whole,
}

#[derive(Deserialize, Default)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "these are the client's names")]
struct Cost {
    total_cost_usd: Loose<f64>,
    total_duration_ms: Whole,
    total_api_duration_ms: Whole,
    total_lines_added: Whole,
    total_lines_removed: Whole,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct PromptCache {
    expires_at: Loose<EpochOrText>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Limits {
    five_hour: Part<Limit>,
    seven_day: Part<Limit>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Limit {
    used_percentage: Loose<f64>,
    resets_at: Loose<EpochOrText>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the form of client 2.1.325, with every part that the client ever sends.
    const WHOLE: &str = include_str!("fixtures/statusline.json");

    fn whole() -> StatuslinePayload {
        parse(WHOLE.as_bytes()).unwrap()
    }

    #[test]
    fn every_part_is_read() {
        let text = |text: &str| Some(text.to_owned());
        let limit = |percent, second| {
            Some(RateLimit { percent, resets_at: Some(Timestamp::from_second(second).unwrap()) })
        };
        let expected = StatuslinePayload {
            session_id: "0b0e5a52-6c1e-4a57-9f0e-1f6a30a8f1c2".to_owned(),
            session_name: text("tidy the parser"),
            transcript_path: text("/home/dev/.claude/projects/-home-dev-project/0b0e5a52.jsonl"),
            cwd: text("/home/dev/project/crates"),
            project_folder: text("/home/dev/project"),
            version: text("2.1.325"),
            model_id: text("claude-opus-5-5"),
            model_name: text("Opus 5.5"),
            effort: text("high"),
            is_thinking: Some(true),
            is_fast: Some(true),
            output_style: text("default"),
            vim_mode: text("NORMAL"),
            agent_name: text("reviewer"),
            worktree: text("parser"),
            window_tokens: Some(200_000),
            context: Context::Known(ContextSize {
                input: 70_000,
                output: 42,
                cache_create: 1_400,
                cache_read: 12_600,
            }),
            exceeds_200k: Some(false),
            cost_micros: Some(1_234_567),
            duration_ms: Some(5_400_000),
            api_duration_ms: Some(617_000),
            lines_added: Some(156),
            lines_removed: Some(23),
            cache_expires_at: Some(Timestamp::from_second(1_794_792_679).unwrap()),
            five_hours: limit(23.5, 1_794_799_999),
            seven_days: limit(41.0, 1_795_200_000),
        };
        assert_eq!(whole(), expected);
    }

    /// Each value in turn becomes something of another type: what the others say must not change.
    #[test]
    fn a_wrong_type_loses_its_own_field_only() {
        let original: serde_json::Value = serde_json::from_str(WHOLE).unwrap();
        let shown = |payload: &StatuslinePayload| {
            let text = format!("{payload:#?}");
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let mut paths = Vec::new();
        for (key, value) in original.as_object().unwrap() {
            paths.push(format!("/{key}"));
            for (inner, _) in value.as_object().into_iter().flatten() {
                paths.push(format!("/{key}/{inner}"));
            }
        }
        for path in paths {
            let is_object = original.pointer(&path).unwrap().is_object();
            for odd in [serde_json::json!(null), serde_json::json!([[{}]]), serde_json::json!({"x": [1]})] {
                let mut broken = original.clone();
                *broken.pointer_mut(&path).unwrap() = odd.clone();
                let read = parse(broken.to_string().as_bytes()).unwrap_or_else(|| panic!("{path} = {odd}"));
                let (read, expected) = (shown(&read), shown(&whole()));
                let lost = expected.iter().filter(|line| !read.contains(line)).count();
                assert!(is_object || lost <= 3, "{path} = {odd}: {lost} lines changed: {read:#?}");
            }
        }
    }

    #[test]
    fn null_usage_is_unknown_and_zeros_are_zeros() {
        let context = |usage: &str| {
            let text = format!(
                r#"{{"session_id":"s","context_window":{{"context_window_size":1000000,"current_usage":{usage}}}}}"#
            );
            parse(text.as_bytes()).unwrap().context
        };
        assert_eq!(context("null"), Context::Unknown);
        assert_eq!(context("{}"), Context::Unknown);
        assert_eq!(context(r#"{"input_tokens":"many"}"#), Context::Unknown);
        assert_eq!(
            context(r#"{"input_tokens":0,"output_tokens":7,"cache_read_input_tokens":0}"#),
            Context::Zeros
        );
        let Context::Known(known) = context(
            r#"{"input_tokens":1,"cache_creation_input_tokens":2,"cache_read_input_tokens":4e0,"output_tokens":-9}"#,
        ) else {
            panic!("known")
        };
        assert_eq!((known.used(), known.output), (7, 0));
    }

    #[test]
    fn what_is_no_payload_is_none() {
        for nonsense in [&b"nonsense"[..], b"", b"{", b"[]", b"null", b"{}", br#"{"model":7}"#, b"\xff"] {
            assert_eq!(parse(nonsense), None, "{nonsense:?}");
        }
        let with_bad_utf8 = b"{\"session_id\":\"s\",\"cwd\":\"/a\xff\"}";
        assert_eq!(parse(with_bad_utf8).unwrap().session_id, "s");
    }
}
