//! Hook entry: one hook as it stands in a settings file, of whatever client.

use serde_json::{Map, Value, json};

/// One hook: the event, and the handler that goes into the event's list.
#[derive(Clone, Debug, PartialEq)]
pub struct HookEntry {
    /// The event as the settings spell it.
    pub event: &'static str,
    /// Which tools it is called for; everything when absent.
    pub matcher: Option<&'static str>,
    /// The handler object: type, command, timeout.
    pub handler: Map<String, Value>,
}

impl HookEntry {
    /// The group that holds the handler alone.
    #[must_use]
    pub fn group(&self) -> Value {
        let mut group = Map::new();
        if let Some(matcher) = self.matcher {
            group.insert("matcher".to_owned(), json!(matcher));
        }
        group.insert("hooks".to_owned(), json!([self.handler]));
        Value::Object(group)
    }
}
