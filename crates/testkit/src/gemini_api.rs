//! Gemini API: answers the Gemini CLI as a script says, on the loopback interface only, and keeps what it was sent.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    http::{self, HttpRequest},
    request::Kind,
    script::{Playback, Script, Step, Usage},
};

/// A running mock. It stops when dropped.
#[derive(Debug)]
pub struct GeminiApi {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    played: Mutex<Played>,
    stopping: AtomicBool,
}

#[derive(Debug, Default)]
struct Played {
    playback: Playback,
    requests: Vec<GeminiRequest>,
    counts: Vec<Value>,
    refused_paths: Vec<String>,
}

/// One request for an answer, in the order they came.
#[derive(Clone, Debug)]
pub struct GeminiRequest {
    /// What it is for: the conversation, a compression's summary, or something on the side.
    pub kind: Kind,
    /// The model, out of the path.
    pub model: String,
    /// Whether the answer was streamed.
    pub is_streamed: bool,
    /// The body as sent.
    pub body: Value,
}

impl GeminiRequest {
    /// Every text of the request: system instruction, contents, calls and their results.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        collect_strings(&self.body["systemInstruction"], &mut texts);
        collect_strings(&self.body["contents"], &mut texts);
        texts
    }

    /// Whether this text is anywhere in the request, exactly as written.
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        self.texts().iter().any(|found| found.contains(text))
    }

    /// Every text that came from a hook, oldest first: what stands between the client's marks.
    #[must_use]
    pub fn hook_texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        collect_strings(&self.body["contents"], &mut texts);
        texts.iter().flat_map(|text| between(text)).map(|(_, inside)| inside.to_owned()).collect()
    }

    /// The results of calls in the last message.
    #[must_use]
    pub fn last_results(&self) -> Vec<String> {
        let last = self.body["contents"].as_array().and_then(|contents| contents.last());
        let parts = last.and_then(|content| content["parts"].as_array()).into_iter().flatten();
        parts
            .filter_map(|part| part["functionResponse"]["response"]["output"].as_str().map(str::to_owned))
            .collect()
    }
}

const HOOK_OPEN: &str = "<hook_context>";
const HOOK_CLOSE: &str = "</hook_context>";

/// The parts of a text that came from hooks: with the client's marks, and what is inside.
fn between(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(HOOK_OPEN) {
        let Some((inside, behind)) = after.split_once(HOOK_CLOSE) else { break };
        let begin = rest.len() - after.len() - HOOK_OPEN.len();
        found.push((&rest[begin..rest.len() - behind.len()], inside));
        rest = behind;
    }
    found
}

impl GeminiApi {
    /// Starts on a free port.
    #[must_use]
    pub fn start(script: Script) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free loopback port");
        let address = listener.local_addr().expect("the mock's address");
        let played = Played { playback: Playback::of(script), ..Played::default() };
        let shared = Arc::new(Shared { played: Mutex::new(played), ..Shared::default() });
        let serving = Arc::clone(&shared);
        thread::spawn(move || serve(&listener, &serving));
        Self { address, shared }
    }

    /// What the client takes as its base URL.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request for an answer so far, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<GeminiRequest> {
        self.shared.lock().requests.clone()
    }

    /// The requests of one kind, oldest first.
    #[must_use]
    pub fn requests_of(&self, kind: Kind) -> Vec<GeminiRequest> {
        self.requests().into_iter().filter(|request| request.kind == kind).collect()
    }

    /// Every body of a request to count tokens so far, oldest first.
    #[must_use]
    pub fn count_requests(&self) -> Vec<Value> {
        self.shared.lock().counts.clone()
    }

    /// Paths that were asked for and do not exist here.
    #[must_use]
    pub fn refused_paths(&self) -> Vec<String> {
        self.shared.lock().refused_paths.clone()
    }

    /// Plays another script from its beginning; what was recorded stays.
    pub fn set_script(&self, script: Script) {
        self.shared.lock().playback = Playback::of(script);
    }
}

impl Drop for GeminiApi {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection, so that it sees the flag.
        drop(TcpStream::connect(self.address));
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Played> {
        self.played.lock().expect("the mock's lock")
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }
}

fn serve(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.is_stopping() {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            // A client that was killed closes the connection at any point; that is no failure of the mock.
            let _ = handle(&stream, &shared);
        });
    }
}

fn handle(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    let Some(request) = http::read_request(stream)? else { return Ok(()) };
    // `/v1beta/models/gemini-2.5-flash:streamGenerateContent`
    let method = request.path.rsplit_once('/').and_then(|(_, name)| name.split_once(':'));
    match (request.method.as_str(), method) {
        ("POST", Some((model, "generateContent"))) => answer(stream, &request, shared, model, false),
        ("POST", Some((model, "streamGenerateContent"))) => answer(stream, &request, shared, model, true),
        ("POST", Some((_, "countTokens"))) => {
            let tokens = (request.body.len() / 4).max(1);
            shared.lock().counts.push(serde_json::from_slice(&request.body).unwrap_or_default());
            respond_json(stream, 200, &json!({"totalTokens": tokens}))
        }
        _ => {
            shared.lock().refused_paths.push(request.path);
            respond_json(stream, 404, &error_body(404, "NOT_FOUND", "the mock has no such path"))
        }
    }
}

fn answer(
    stream: &TcpStream,
    request: &HttpRequest,
    shared: &Shared,
    model: &str,
    is_streamed: bool,
) -> io::Result<()> {
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
        return respond_json(stream, 400, &error_body(400, "INVALID_ARGUMENT", "the body is no JSON"));
    };
    let kind = classify(&body);
    let (step, number, usage) = {
        let mut played = shared.lock();
        let step = played.playback.next(kind, &as_messages(&body));
        played.requests.push(GeminiRequest { kind, model: model.to_owned(), is_streamed, body });
        (step, played.requests.len(), played.playback.usage())
    };
    hold(step.delay, shared);
    if let Some(failure) = &step.failure {
        return respond_json(
            stream,
            failure.status,
            &error_body(failure.status, &failure.kind, &failure.message),
        );
    }
    let message = message(&step, number, usage, model);
    if is_streamed {
        http::respond(stream, 200, "text/event-stream", format!("data: {message}\r\n\r\n").as_bytes())
    } else {
        respond_json(stream, 200, &message)
    }
}

fn message(step: &Step, number: usize, usage: Usage, model: &str) -> Value {
    let words = step.text.iter().map(|text| json!({"text": text}));
    let calls = step.tools.iter().map(|(name, args)| json!({"functionCall": {"name": name, "args": args}}));
    json!({
        "candidates": [{
            "content": {"role": "model", "parts": words.chain(calls).collect::<Vec<_>>()},
            "finishReason": "STOP",
            "index": 0,
        }],
        "usageMetadata": counted(step.usage.unwrap_or(usage)),
        "modelVersion": model,
        "responseId": format!("mock-{number:05}"),
    })
}

/// This API counts what it read from its cache among what it was asked.
fn counted(usage: Usage) -> Value {
    let asked = usage.input + usage.cache_creation + usage.cache_read;
    json!({
        "promptTokenCount": asked,
        "cachedContentTokenCount": usage.cache_read,
        "candidatesTokenCount": usage.output,
        "totalTokenCount": asked + usage.output,
    })
}

/// Tells the kinds apart by what only their requests hold.
fn classify(body: &Value) -> Kind {
    let mut system = Vec::new();
    collect_strings(&body["systemInstruction"], &mut system);
    if system.iter().any(|text| text.contains("structured XML <state_snapshot>")) {
        return Kind::Compact;
    }
    match body["tools"].as_array() {
        Some(tools) if !tools.is_empty() => Kind::Main,
        _ => Kind::Side,
    }
}

/// The conversation in the form that scripts are matched with: what the user said, without what hooks put beside it.
fn as_messages(body: &Value) -> Value {
    let contents = body["contents"].as_array().into_iter().flatten();
    let messages = contents.map(|content| {
        let role = if content["role"] == "model" { "assistant" } else { "user" };
        let texts =
            content["parts"].as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
        let blocks = texts.map(|text| {
            let said =
                between(text).iter().fold(text.to_owned(), |text, (whole, _)| text.replacen(whole, "", 1));
            json!({"type": "text", "text": said})
        });
        json!({"role": role, "content": blocks.collect::<Vec<_>>()})
    });
    json!({"messages": messages.collect::<Vec<_>>()})
}

/// Waits as the step asks, but not past the end of the mock.
fn hold(delay: Duration, shared: &Shared) {
    let until = Instant::now() + delay;
    while Instant::now() < until && !shared.is_stopping() {
        thread::sleep(Duration::from_millis(20).min(delay));
    }
}

fn collect_strings(value: &Value, strings: &mut Vec<String>) {
    match value {
        Value::String(text) => strings.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_strings(item, strings)),
        Value::Object(fields) => fields.values().for_each(|field| collect_strings(field, strings)),
        _ => {}
    }
}

fn error_body(code: u16, status: &str, message: &str) -> Value {
    json!({"error": {"code": code, "status": status, "message": message}})
}

fn respond_json(stream: &TcpStream, status: u16, body: &Value) -> io::Result<()> {
    http::respond(stream, status, "application/json", body.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(kind: Kind, body: Value) -> GeminiRequest {
        GeminiRequest { kind, model: "m".to_owned(), is_streamed: true, body }
    }

    #[test]
    fn what_hooks_said_is_found_and_is_not_the_users() {
        let body = json!({"contents": [
            {"role": "user", "parts": [{"text": "<hook_context>one</hook_context>\n\ngo"}, {"text": "<hook_context>two</hook_context>"}]},
            {"role": "user", "parts": [{"functionResponse": {"response": {"output": "done\n\n<hook_context>three</hook_context>"}}}]},
        ], "tools": [{}]});
        assert_eq!(classify(&body), Kind::Main);
        assert_eq!(crate::request::user_said(&as_messages(&body)).join("").trim(), "go");
        let request = request(Kind::Main, body);
        assert_eq!(request.hook_texts(), ["one", "two", "three"]);
        assert_eq!(request.last_results(), ["done\n\n<hook_context>three</hook_context>"]);
    }

    #[test]
    fn bodies_of_any_shape_are_classified_without_a_panic() {
        for body in [json!(null), json!([]), json!({"contents": 1}), json!({"contents": [1, {"parts": [2]}]})]
        {
            assert_eq!(classify(&body), Kind::Side);
            assert!(!request(Kind::Side, body).contains("x"));
        }
    }
}
