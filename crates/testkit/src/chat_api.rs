//! Chat API: answers a client that speaks OpenAI's chat completions as the script says, on the loopback interface only, and
//! keeps what it was sent.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    http::{self, HttpRequest},
    request::{self, Kind, Request},
    script::{Playback, SUBAGENT_MARK, Script, Step, Usage},
    sse,
};

/// A running mock. It stops when dropped.
#[derive(Debug)]
pub struct ChatApi {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    played: Mutex<Played>,
    arrived: Condvar,
    stopping: AtomicBool,
}

#[derive(Debug, Default)]
struct Played {
    playback: Playback,
    requests: Vec<Request>,
    /// When each of them came.
    arrivals: Vec<Instant>,
    refused_paths: Vec<String>,
}

impl ChatApi {
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
        format!("http://{}/v1", self.address)
    }

    /// Every request for an answer so far, oldest first. A system prompt is one of its messages.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.shared.lock().requests.clone()
    }

    /// When they came.
    #[must_use]
    pub fn arrivals(&self) -> Vec<Instant> {
        self.shared.lock().arrivals.clone()
    }

    /// The requests of one kind, oldest first.
    #[must_use]
    pub fn requests_of(&self, kind: Kind) -> Vec<Request> {
        self.requests().into_iter().filter(|request| request.kind == kind).collect()
    }

    /// The first main request after the given number of compactions (1 = after the first).
    #[must_use]
    pub fn main_after_compaction(&self, compaction: usize) -> Option<Request> {
        let mut compactions = 0;
        self.requests().into_iter().find(|request| {
            compactions += usize::from(request.kind == Kind::Compact);
            compactions >= compaction && request.kind == Kind::Main
        })
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

    /// Waits until so many requests of this kind have come, also when they are not answered yet.
    pub fn wait_for(&self, kind: Kind, count: usize, deadline: Duration) {
        let until = Instant::now() + deadline;
        let mut played = self.shared.lock();
        while played.requests.iter().filter(|request| request.kind == kind).count() < count {
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "waited {deadline:?} for {kind:?} request {count}, it never came");
            played = self.shared.arrived.wait_timeout(played, left).expect("the mock's lock").0;
        }
    }
}

impl Drop for ChatApi {
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
    if (request.method.as_str(), request.path.as_str()) == ("POST", "/v1/chat/completions") {
        return answer(stream, &request, shared);
    }
    shared.lock().refused_paths.push(request.path);
    respond_json(stream, 404, &json!({"error": {"message": "the mock has no such path"}}))
}

fn answer(stream: &TcpStream, request: &HttpRequest, shared: &Shared) -> io::Result<()> {
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
        return respond_json(stream, 400, &json!({"error": {"message": "the body is no JSON"}}));
    };
    let kind = classify(&body);
    let (step, number, usage) = {
        let mut played = shared.lock();
        let step = played.playback.next(kind, &body);
        played.requests.push(Request { kind, body });
        played.arrivals.push(Instant::now());
        (step, played.requests.len(), played.playback.usage())
    };
    shared.arrived.notify_all();
    let until = Instant::now() + step.delay;
    while Instant::now() < until && !shared.is_stopping() {
        thread::sleep(Duration::from_millis(20).min(step.delay));
    }
    if let Some(failure) = &step.failure {
        let error =
            json!({"error": {"type": failure.kind, "code": failure.kind, "message": failure.message}});
        return respond_json(stream, failure.status, &error);
    }
    let events = sse::completion_stream(
        &format!("chatcmpl-mock{number:05}"),
        &deltas(&step, number),
        &used(&step, usage),
    );
    http::respond(stream, 200, "text/event-stream", events.as_bytes())
}

/// Tells the kinds apart by what only their requests hold. Only those that work have tools.
fn classify(body: &Value) -> Kind {
    let has_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let said = request::user_said(body);
    match has_tools {
        true if said.first().is_some_and(|text| text.contains(SUBAGENT_MARK)) => Kind::Subagent,
        true => Kind::Main,
        false if said.iter().any(|text| text.contains("<conversation>")) => Kind::Compact,
        false => Kind::Side,
    }
}

/// What the model says and calls, piece by piece, and the word with which it ends.
fn deltas(step: &Step, number: usize) -> Vec<(Value, Option<&'static str>)> {
    let mut deltas = vec![(json!({"role": "assistant", "content": ""}), None)];
    deltas.extend(step.text.iter().map(|text| (json!({"content": text}), None)));
    deltas.extend(step.tools.iter().enumerate().map(|(index, (name, input))| {
        let function = json!({"name": name, "arguments": input.to_string()});
        let call = json!({"index": index, "id": format!("call_mock{number:04}{index:02}"), "type": "function", "function": function});
        (json!({"tool_calls": [call]}), None)
    }));
    let end = if step.tools.is_empty() { "stop" } else { "tool_calls" };
    deltas.push((json!({}), Some(end)));
    deltas
}

/// In this API the input includes what was read from the cache, and nothing tells what was written there.
fn used(step: &Step, usual: Usage) -> Value {
    let usage = step.usage.unwrap_or(usual);
    let input = usage.input + usage.cache_creation + usage.cache_read;
    json!({
        "prompt_tokens": input,
        "completion_tokens": usage.output,
        "total_tokens": input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
    })
}

fn respond_json(stream: &TcpStream, status: u16, body: &Value) -> io::Result<()> {
    http::respond(stream, status, "application/json", body.to_string().as_bytes())
}
