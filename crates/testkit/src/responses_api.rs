//! Responses API: answers a client that speaks it as the script says, on the loopback interface only, and keeps what it
//! was sent.

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
    request::Kind,
    responses_request::{self, ResponsesRequest},
    script::{Playback, Script, Step, Usage},
    sse,
};

/// A running mock. It stops when dropped.
#[derive(Debug)]
pub struct ResponsesApi {
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
    requests: Vec<ResponsesRequest>,
    refused_paths: Vec<String>,
}

impl ResponsesApi {
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

    /// Every request for an answer so far, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<ResponsesRequest> {
        self.shared.lock().requests.clone()
    }

    /// The requests of one kind, oldest first.
    #[must_use]
    pub fn requests_of(&self, kind: Kind) -> Vec<ResponsesRequest> {
        self.requests().into_iter().filter(|request| request.kind == kind).collect()
    }

    /// The first main request after the given number of compactions (1 = after the first).
    #[must_use]
    pub fn main_after_compaction(&self, compaction: usize) -> Option<ResponsesRequest> {
        let mut compactions = 0;
        self.requests().into_iter().find(|request| {
            compactions += usize::from(request.kind == Kind::Compact);
            compactions >= compaction && request.kind == Kind::Main
        })
    }

    /// Whether any request held this text.
    #[must_use]
    pub fn request_contains(&self, text: &str) -> bool {
        self.requests().iter().any(|request| request.contains(text))
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

impl Drop for ResponsesApi {
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
    if (request.method.as_str(), request.path.as_str()) == ("POST", "/v1/responses") {
        return answer(stream, &request, shared);
    }
    shared.lock().refused_paths.push(request.path);
    respond_json(stream, 404, &json!({"error": {"message": "the mock has no such path"}}))
}

fn answer(stream: &TcpStream, request: &HttpRequest, shared: &Shared) -> io::Result<()> {
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
        return respond_json(stream, 400, &json!({"error": {"message": "the body is no JSON"}}));
    };
    let kind = responses_request::classify(&body);
    let is_opaque = responses_request::asks_for_opaque_summary(&body);
    let (step, number, usage) = {
        let mut played = shared.lock();
        let said = responses_request::user_said(&body);
        let step = played.playback.next_after(kind, &said, responses_request::answers(&body));
        played.requests.push(ResponsesRequest { kind, body });
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
    let items = if is_opaque { vec![opaque_summary(&step, number)] } else { items(&step, number) };
    let events =
        sse::response_stream(&format!("resp_mock{number:05}"), &items, &used(step.usage.unwrap_or(usage)));
    http::respond(stream, 200, "text/event-stream", events.as_bytes())
}

/// What the model says and calls, in this API's form. A call whose input is a text is one of a free-form tool.
fn items(step: &Step, number: usize) -> Vec<Value> {
    let words = step.text.iter().map(|text| {
        json!({"type": "message", "role": "assistant", "id": format!("msg_mock{number:05}"),
               "content": [{"type": "output_text", "text": text, "annotations": []}]})
    });
    let calls = step.tools.iter().enumerate().map(|(index, (name, input))| {
        let call_id = format!("call_mock{number:04}{index:02}");
        let (kind, id, key, given) = match input {
            Value::String(text) => ("custom_tool_call", format!("ctc_{call_id}"), "input", text.clone()),
            arguments => ("function_call", format!("fc_{call_id}"), "arguments", arguments.to_string()),
        };
        let (namespace, name) =
            name.split_once('.').map_or((None, name.as_str()), |(space, name)| (Some(space), name));
        let mut item = json!({"type": kind, "id": id, "call_id": call_id, "name": name, key: given});
        if let Some(namespace) = namespace {
            item["namespace"] = json!(namespace);
        }
        item
    });
    words.chain(calls).collect()
}

/// A summary that only the server could read, as the client's own provider gives it.
fn opaque_summary(step: &Step, number: usize) -> Value {
    let text = step.text.as_deref().unwrap_or_default();
    json!({"type": "compaction", "id": format!("cmp_mock{number:05}"), "encrypted_content": format!("opaque-{}", text.len())})
}

/// In this API the input includes what was read from the cache.
fn used(usage: Usage) -> Value {
    let input = usage.input + usage.cache_creation + usage.cache_read;
    json!({
        "input_tokens": input,
        "input_tokens_details": {"cached_tokens": usage.cache_read},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": input + usage.output,
    })
}

fn respond_json(stream: &TcpStream, status: u16, body: &Value) -> io::Result<()> {
    http::respond(stream, status, "application/json", body.to_string().as_bytes())
}
