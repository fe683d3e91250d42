//! Mock API: answers the client as the script says, on the loopback interface only, and keeps what it was sent.

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
    script::{Playback, Script, Step, Usage},
    sse,
};

/// A running mock. It stops when dropped.
#[derive(Debug)]
pub struct MockApi {
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
    refused_paths: Vec<String>,
    counts: Vec<CountRequest>,
    count_answer: CountAnswer,
}

/// A request to count tokens.
#[derive(Debug, Clone)]
pub struct CountRequest {
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// What was to be counted.
    pub body: Value,
}

impl CountRequest {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// How a request to count tokens is answered.
#[derive(Debug, Clone, Default)]
pub enum CountAnswer {
    /// With a quarter of the body's bytes, as nobody relies on.
    #[default]
    Usual,
    /// With this status and this body, after this long.
    Given {
        /// `401`
        status: u16,
        /// The whole body.
        body: String,
        /// How long the other side waits for it.
        delay: Duration,
    },
}

impl MockApi {
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
    pub fn requests(&self) -> Vec<Request> {
        self.shared.lock().requests.clone()
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

    /// Whether any request held this text in its messages or system prompt.
    #[must_use]
    pub fn request_contains(&self, text: &str) -> bool {
        self.requests().iter().any(|request| request.contains(text))
    }

    /// Paths that were asked for and do not exist here.
    #[must_use]
    pub fn refused_paths(&self) -> Vec<String> {
        self.shared.lock().refused_paths.clone()
    }

    /// Every request to count tokens so far, oldest first.
    #[must_use]
    pub fn count_requests(&self) -> Vec<CountRequest> {
        self.shared.lock().counts.clone()
    }

    /// Answers requests to count tokens with this from now on.
    pub fn answer_counts(&self, status: u16, body: impl Into<String>, delay: Duration) {
        self.shared.lock().count_answer = CountAnswer::Given { status, body: body.into(), delay };
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

impl Drop for MockApi {
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
    match (request.method.as_str(), request.path.as_str()) {
        ("HEAD", _) => http::respond(stream, 200, "application/json", b""),
        ("POST", "/v1/messages") => answer(stream, &request, shared),
        ("POST", "/v1/messages/count_tokens") => count(stream, request, shared),
        _ => {
            shared.lock().refused_paths.push(request.path);
            respond_json(stream, 404, &error_body("not_found_error", "the mock has no such path"))
        }
    }
}

fn count(stream: &TcpStream, request: HttpRequest, shared: &Shared) -> io::Result<()> {
    let tokens = (request.body.len() / 4).max(1);
    let body = serde_json::from_slice(&request.body).unwrap_or_default();
    let answer = {
        let mut played = shared.lock();
        played.counts.push(CountRequest { headers: request.headers, body });
        played.count_answer.clone()
    };
    match answer {
        CountAnswer::Usual => respond_json(stream, 200, &json!({"input_tokens": tokens})),
        CountAnswer::Given { status, body, delay } => {
            hold(delay, shared);
            http::respond(stream, status, "application/json", body.as_bytes())
        }
    }
}

fn answer(stream: &TcpStream, request: &HttpRequest, shared: &Shared) -> io::Result<()> {
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
        return respond_json(stream, 400, &error_body("invalid_request_error", "the body is no JSON"));
    };
    let kind = request::classify(&body);
    let model = body["model"].clone();
    let streamed = body["stream"] == true;
    let (step, number, usage) = {
        let mut played = shared.lock();
        let step = played.playback.next(kind, &body);
        played.requests.push(Request { kind, body });
        (step, played.requests.len(), played.playback.usage())
    };
    shared.arrived.notify_all();
    hold(step.delay, shared);
    if let Some(failure) = &step.failure {
        return respond_json(stream, failure.status, &error_body(&failure.kind, &failure.message));
    }
    let message = message(&step, number, usage, &model);
    if streamed {
        http::respond(stream, 200, "text/event-stream", sse::event_stream(&message).as_bytes())
    } else {
        respond_json(stream, 200, &message)
    }
}

fn message(step: &Step, number: usize, usage: Usage, model: &Value) -> Value {
    let words = step.text.iter().map(|text| json!({"type": "text", "text": text}));
    let calls = step.tools.iter().enumerate().map(|(index, (name, input))| {
        json!({"type": "tool_use", "id": format!("toolu_mock{number:04}{index:02}"), "name": name, "input": input})
    });
    json!({
        "id": format!("msg_mock{number:05}"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": words.chain(calls).collect::<Vec<_>>(),
        "stop_reason": if step.tools.is_empty() { "end_turn" } else { "tool_use" },
        "stop_sequence": null,
        "usage": step.usage.unwrap_or(usage).to_json(),
    })
}

/// Waits as the step asks, but not past the end of the mock.
fn hold(delay: Duration, shared: &Shared) {
    let until = Instant::now() + delay;
    while Instant::now() < until && !shared.is_stopping() {
        thread::sleep(Duration::from_millis(20).min(delay));
    }
}

fn error_body(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

fn respond_json(stream: &TcpStream, status: u16, body: &Value) -> io::Result<()> {
    http::respond(stream, status, "application/json", body.to_string().as_bytes())
}
