//! The Messages API, asked for one thing: how many tokens a text is. Only ever on request.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use throughline_domain::text::one_line;
use throughline_fleet::{authorities, resolve};
use throughline_redact as redact;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};

use crate::failure::Failure;
use crate::surroundings;

const BASE_URL: &str = "https://api.anthropic.com";
const API_VERSION: &str = "2023-06-01";
const DEADLINE: Duration = Duration::from_secs(20);
/// Largest answer that is read.
const ANSWER_BYTES_MAX: u64 = throughline_domain::limits::API_ANSWER_BYTES_MAX;
/// As many as the library takes.
const ADDRESSES_MAX: usize = 16;

/// Whom to ask, and with which key. Never shown, not even when debugging.
pub(crate) struct Api {
    base_url: String,
    header: (&'static str, String),
    key: String,
    agent: ureq::Agent,
}

impl Api {
    /// As the client's own variables say.
    pub(crate) fn from_env() -> Result<Self, Failure> {
        let var = |name| std::env::var(name).ok().map(|it| it.trim().to_owned()).filter(|it| !it.is_empty());
        let (variable, name, key) = match (var("ANTHROPIC_API_KEY"), var("ANTHROPIC_AUTH_TOKEN")) {
            (Some(key), _) => ("ANTHROPIC_API_KEY", "x-api-key", key),
            (None, Some(token)) => ("ANTHROPIC_AUTH_TOKEN", "authorization", token),
            (None, None) => {
                return Err(Failure::new("--online needs a key, and none is set").hint(
                    "set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or leave --online out for an estimate",
                ));
            }
        };
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Failure::new(format!("{variable} holds characters that no key has"))
                .hint("copy the key again; it is not shown here"));
        }
        let base_url = var("ANTHROPIC_BASE_URL").unwrap_or_else(|| BASE_URL.to_owned());
        let uri: Uri = base_url.parse().map_err(|_| bad_url(&base_url))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none() {
            return Err(bad_url(&base_url));
        }
        let value = if name == "authorization" { format!("Bearer {key}") } else { key.clone() };
        Ok(Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            header: (name, value),
            key,
            agent: agent(),
        })
    }

    /// Whom we ask, for messages.
    pub(crate) fn host(&self) -> String {
        self.base_url.parse::<Uri>().ok().and_then(|uri| Some(uri.host()?.to_owned())).unwrap_or_default()
    }

    /// Whether the key would travel in the open, to another machine.
    pub(crate) fn is_in_the_open(&self) -> bool {
        let host = self.host();
        let here = host == "localhost"
            || host.trim_matches(['[', ']']).parse().is_ok_and(|it: std::net::IpAddr| it.is_loopback());
        self.base_url.starts_with("http:") && !here
    }

    /// Tokens of a text as the user's message to a model.
    pub(crate) fn count_tokens(&self, model: &str, text: &str) -> Result<u64, Failure> {
        let body = json!({ "model": model, "messages": [{ "role": "user", "content": text }] });
        let (name, value) = &self.header;
        let sent = self
            .agent
            .post(format!("{}/v1/messages/count_tokens", self.base_url))
            .header("content-type", "application/json")
            .header("anthropic-version", API_VERSION)
            .header(*name, value)
            .send(body.to_string());
        let mut response = sent.map_err(|error| self.not_asked(&error))?;
        let status = response.status().as_u16();
        let answer = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec();
        let answer = answer.map_err(|error| self.not_asked(&error))?;
        let value: Value = serde_json::from_slice(&answer).unwrap_or_default();
        if status == 200 {
            return value["input_tokens"].as_u64().ok_or_else(|| {
                Failure::new(format!("{} answered something that is no count of tokens", self.host())).hint(
                    "is ANTHROPIC_BASE_URL that of a Messages API? without --online the count is estimated",
                )
            });
        }
        Err(self.refused(status, value["error"]["message"].as_str(), model))
    }

    fn not_asked(&self, error: &ureq::Error) -> Failure {
        let host = self.host();
        match error {
            ureq::Error::Timeout(_) => {
                Failure::new(format!("{host} did not answer within {} s", DEADLINE.as_secs()))
                    .hint("try again, or leave --online out for an estimate")
            }
            error => Failure::new(format!("could not ask {host}: {}", self.clean(&error.to_string())))
                .hint("check the network and ANTHROPIC_BASE_URL, or leave --online out for an estimate"),
        }
    }

    fn refused(&self, status: u16, message: Option<&str>, model: &str) -> Failure {
        let why = message.map_or_else(String::new, |message| format!(": {}", self.clean(message)));
        let failure = Failure::new(format!("{} refused with {status}{why}", self.host()));
        match status {
            401 | 403 => {
                failure.hint("check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN; it is not shown here")
            }
            404 => failure.hint(format!("is there a model `{}`? --model names another", one_line(model, 80))),
            413 => failure.hint("give it less at once, or leave --online out for an estimate"),
            429 => failure.hint("wait a little, or leave --online out for an estimate"),
            _ => failure.hint("try again later, or leave --online out for an estimate"),
        }
    }

    /// Words from outside: one line, without the key, should anybody repeat it.
    fn clean(&self, text: &str) -> String {
        one_line(&redact::text(&text.replace(&self.key, "[key]")), 200)
    }
}

fn bad_url(url: &str) -> Failure {
    Failure::new(format!(
        "ANTHROPIC_BASE_URL is no http or https address: `{}`",
        one_line(&redact::text(url), 80)
    ))
    .hint("unset it to ask the API itself")
}

fn agent() -> ureq::Agent {
    let tls = TlsConfig::builder().root_certs(roots()).build();
    let config = Config::builder()
        .timeout_global(Some(DEADLINE))
        .http_status_as_error(false)
        // A key goes to the host that was named, and nowhere else.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("throughline/", env!("CARGO_PKG_VERSION")))
        .tls_config(tls)
        .build();
    ureq::Agent::with_parts(config, DefaultConnector::default(), Names)
}

/// The authorities that are believed on this machine; where it keeps none, those that browsers believe.
fn roots() -> RootCerts {
    let found = authorities::believed(&surroundings::named_authorities());
    if found.is_empty() {
        return RootCerts::WebPki;
    }
    RootCerts::from(found.iter().map(|der| Certificate::from_der(der).to_owned()))
}

/// Names of hosts, found in the way that suits a static program.
#[derive(Debug)]
struct Names;

impl Resolver for Names {
    fn resolve(
        &self,
        uri: &Uri,
        _: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let host = uri.host().unwrap_or_default();
        let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("http") { 80 } else { 443 });
        let deadline = Instant::now() + (*timeout.after).min(DEADLINE);
        let addresses = resolve::addresses(host, port, deadline).map_err(|_| ureq::Error::HostNotFound)?;
        let mut found = self.empty();
        for address in addresses.into_iter().take(ADDRESSES_MAX) {
            found.push(address);
        }
        if found.is_empty() { Err(ureq::Error::HostNotFound) } else { Ok(found) }
    }
}
