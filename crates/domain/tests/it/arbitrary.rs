//! Documents that look like a state file, more or less: the schema's keys with values of every type under them.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Keys of every level, and some of nobody's.
const KEYS: [&str; 45] = [
    "version",
    "timestamp",
    "trigger",
    "git",
    "sd",
    "workflow",
    "history",
    "tokenMetrics",
    "summaries",
    "counters",
    "labels",
    "unparsed",
    "id",
    "alias",
    "type",
    "priority",
    "source",
    "context",
    "blocking",
    "reversible",
    "rationale",
    "reasoning",
    "decision",
    "constraint",
    "question",
    "content",
    "excerpt",
    "text",
    "resolved",
    "resolution",
    "resolvedAt",
    "status",
    "idGiven",
    "priorityGiven",
    "priorityGivenGiven",
    "branch",
    "progress",
    "phase",
    "estimatedTokens",
    "changedFiles",
    "D",
    "H1",
    "P2",
    "x",
    "ключ",
];

/// Words that mean something somewhere.
const WORDS: [&str; 20] = [
    "2.0.0",
    "1.0.0",
    "manual",
    "precompact",
    "high",
    "HIGH",
    "low",
    "critical",
    "error",
    "open",
    "resolved",
    "closed",
    "true",
    "false",
    "D1",
    "d2",
    "C7",
    "D4294967295",
    "D4294967296",
    "dec_1737730800000",
];

fn key() -> impl Strategy<Value = String> {
    prop_oneof![4 => prop::sample::select(&KEYS[..]).prop_map(str::to_owned), 1 => "\\PC{0,4}"]
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => Just(Value::Null),
        2 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<u64>().prop_map(Value::from),
        1 => prop::num::f64::NORMAL.prop_map(Value::from),
        1 => Just(json!(1e308)),
        3 => prop::sample::select(&WORDS[..]).prop_map(Value::from),
        4 => Just(Value::from("token")),
        1 => "\\PC{0,12}".prop_map(Value::from),
    ]
}

fn anything() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// An element of a section: mostly an object with words under the key that the section wants.
fn element(text_keys: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let words = prop_oneof![4 => Just(Value::from("token")), 1 => leaf()];
    let object = (prop::sample::select(text_keys), words, prop::collection::vec((key(), anything()), 0..6));
    prop_oneof![
        6 => object.prop_map(|(text_key, words, fields)| {
            let mut map: Map<String, Value> = fields.into_iter().collect();
            map.insert(text_key.to_owned(), words);
            Value::Object(map)
        }),
        1 => anything(),
    ]
}

fn section(text_keys: &'static [&'static str]) -> impl Strategy<Value = Value> {
    prop_oneof![6 => prop::collection::vec(element(text_keys), 0..6).prop_map(Value::from), 1 => anything()]
}

fn texts() -> impl Strategy<Value = Value> {
    let text = prop_oneof![3 => Just(Value::from("token")), 1 => Just(Value::from("same")), 1 => anything()];
    prop_oneof![6 => prop::collection::vec(text, 0..6).prop_map(Value::from), 1 => anything()]
}

/// A document with the schema's sections, each right or wrong in its own way.
pub(crate) fn state_like() -> impl Strategy<Value = Map<String, Value>> {
    let maybe = |strategy: BoxedStrategy<Value>| prop::option::weighted(0.7, strategy);
    let sections = (
        maybe(section(&["decision", "content"]).boxed()),
        maybe(section(&["constraint", "content"]).boxed()),
        maybe(section(&["question", "content"]).boxed()),
        maybe(section(&["content", "excerpt"]).boxed()),
        maybe(section(&["text", "content"]).boxed()),
        maybe(section(&["content"]).boxed()),
    );
    let summaries = (maybe(texts().boxed()), maybe(texts().boxed()), maybe(section(&["decision"]).boxed()));
    let others = prop::collection::vec((key(), anything()), 0..8);
    (sections, summaries, others).prop_map(|(sections, summaries, others)| {
        let mut map: Map<String, Value> = others.into_iter().collect();
        let (decisions, constraints, questions, evidence, directives, anchors) = sections;
        for (key, value) in [
            ("decisions", decisions),
            ("constraints", constraints),
            ("openQuestions", questions),
            ("evidenceLedger", evidence),
            ("directives", directives),
            ("anchors", anchors),
        ] {
            map.extend(value.map(|value| (key.to_owned(), value)));
        }
        let (highlights, actions, lines) = summaries;
        let mut inner = Map::new();
        let keys = ["contextHighlights", "pendingActions", "keyDecisions"];
        for (key, value) in keys.into_iter().zip([highlights, actions, lines]) {
            inner.extend(value.map(|value| (key.to_owned(), value)));
        }
        if !inner.is_empty() {
            map.insert("summaries".to_owned(), Value::Object(inner));
        }
        let mut count = 0;
        let mut value = Value::Object(map);
        make_tokens_unique(&mut value, &mut count);
        match value {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    })
}

/// `token` becomes `token1`, `token2`…: each can then be looked for.
fn make_tokens_unique(value: &mut Value, count: &mut usize) {
    match value {
        Value::String(text) if text == "token" => {
            *count += 1;
            *text = format!("token{count};");
        }
        Value::Array(elements) => elements.iter_mut().for_each(|it| make_tokens_unique(it, count)),
        Value::Object(map) => map.values_mut().for_each(|it| make_tokens_unique(it, count)),
        _ => {}
    }
}
