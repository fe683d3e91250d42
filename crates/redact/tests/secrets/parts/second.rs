//! The second part: held back at first, looked at since.

use super::{Context, Part};
use crate::draw::{BASE64, base64};
use crate::harmless::{Kind, hex, word};

pub(crate) const PART: Part = Part {
    own_form: &OWN_FORM,
    named: &NAMED,
    whole: &WHOLE,
    private_keys: &PRIVATE_KEYS,
    unnamed_contexts: &UNNAMED_CONTEXTS,
    named_contexts: &NAMED_CONTEXTS,
    harmless: &HARMLESS,
};

/// Known by their own form: kind, template.
const OWN_FORM: [(&str, &str); 48] = [
    ("github user", "gh|u_{A36}"),
    ("gitlab feed", "gl|ft-{A20}"),
    ("gitlab oauth", "gl|oas-{h64}"),
    ("gitlab scim", "gl|soat-{A20}"),
    ("gitlab agent", "gl|agent-{A50}"),
    ("gitlab runner old", "GR|1348941{A20}"),
    ("openai admin", "sk|-admin-{A60}"),
    ("deepseek", "sk|-{l48}"),
    ("xai", "xa|i-{A80}"),
    ("nvidia", "nva|pi-{A64}"),
    ("tavily", "tvl|y-{A32}"),
    ("slack legacy", "xox|s-{d12}-{d12}-{d12}-{h10}"),
    ("slack refresh", "xox|e-1-{u146}"),
    ("slack client", "xox|c-{d12}-{d12}-{h64}"),
    ("aws bedrock", "AB|SK{b120}"),
    ("clojars", "CLO|JARS_{l60}"),
    ("contentful", "CFP|AT-{A43}"),
    ("flyio", "fo|1_{A43}"),
    ("flyio machine", "fm|2_{b110}"),
    ("grafana old", "ey|JrIjoi{A80}"),
    ("harness", "pa|t.{A22}.{A24}.{A20}"),
    ("huggingface org", "api|_org_{L34}"),
    ("intra42", "s-s4t|2ud-{h64}"),
    ("netlify", "nf|p_{A36}"),
    ("neon", "nap|i_{l64}"),
    ("octopus", "API|-{u26}"),
    ("paypal", "access_token|$production${l16}${h32}"),
    ("planetscale oauth", "pscale|_oauth_{A43}"),
    ("posthog", "ph|x_{A43}"),
    ("render", "rn|d_{A32}"),
    ("scalingo", "tk|-us-{A48}"),
    ("sentry org", "sntr|ys_eyJpYXQiO{b40}LCJyZWdpb25fdXJs{b40}_{b43}"),
    ("sourcegraph", "sg|p_{h40}"),
    ("square oauth", "sq0|csp-{A43}"),
    ("supabase", "sb|p_{h40}"),
    ("tailscale", "tsk|ey-auth-{A12}-{A32}"),
    ("teams webhook", "https://x.webhook.office|.com/webhookb2/{U}@{U}/IncomingWebhook/{h32}/{U}"),
    ("nuget", "oy|2{l43}"),
    ("buildkite", "bk|ua_{h40}"),
    ("circleci", "CCI|PAT_{A22}_{h40}"),
    ("bitbucket", "AT|BB{A32}"),
    ("adobe", "p8|e-{A32}"),
    ("clickhouse", "4b|1d{A38}"),
    ("airtable", "pat|{A14}.{h64}"),
    ("jwt rs256", "ey|JhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.ey|JpYXQiOjE3MDAw{A60}.{A86}"),
    ("flutterwave", "FLWS|ECK_TEST-{h12}"),
    ("typeform-like", "lin|_oauth_{h64}"),
    ("google refresh", "1/|/0g{A60}"),
];

/// Known by their names: kind, name, template.
const NAMED: [(&str, &str, &str); 32] = [
    ("password letters and marks", "redis_password", "s0me.Pass{d2}word"),
    ("password unusual", "keystore_password", "zK{A6}#"),
    ("password short", "wifi_password", "a{d3}Qx"),
    ("password random long", "grafana_password", "{A30}"),
    ("pass", "smtp_pass", "{A16}"),
    ("passwd", "root_passwd", "{A9}6"),
    ("token base64", "bearer_token", "{b60}=="),
    ("token digits and letters", "gitea_token", "{h40}"),
    ("token dashed", "csrf_secret", "{A8}-{A8}-{A8}"),
    ("token mixed", "telegram_token", "{d9}:A|A{A33}"),
    ("secret uuid", "oauth_client_secret", "{U}"),
    ("secret underscored", "session_secret", "{A10}_{A10}"),
    ("secret key base", "secret_key", "{h128}"),
    ("django", "django_secret_key", "{A25}-{A24}"),
    ("api secret", "api_secret", "{A50}"),
    ("consumer secret", "consumer_secret", "{A50}"),
    ("api key dashed", "service_api_key", "{h8}-{h16}"),
    ("access key", "minio_access_key", "{u20}"),
    ("storage key", "azure_storage_key", "{b86}=="),
    ("subscription key", "subscription_key", "{h32}"),
    ("function key", "host_key", "{b54}=="),
    ("deploy key", "deploy_key", "{A44}"),
    ("hmac key", "hmac_key", "{h40}"),
    ("write key", "segment_write_key", "{A32}"),
    ("auth key", "auth_key", "{A33}"),
    ("twitter", "twitter_api_secret", "{A50}"),
    ("fastly", "fastly_api_token", "{A32}"),
    ("okta", "okta_api_token", "00{A40}"),
    ("zendesk", "zendesk_api_token", "{A40}"),
    ("mailchimp", "mailchimp_api_key", "{h32}-us12"),
    ("snyk", "snyk_token", "{U}"),
    ("algolia", "algolia_admin_key", "{h32}"),
];

/// In place: kind, the text with `@` in the secret's place, template.
const WHOLE: [(&str, &str, &str); 32] = [
    ("postgres query", "psql \"postgresql://svc:@@db.host.tld/app?connect_timeout=3\"", "{A11}!"),
    ("mysql2", "\"url\": \"mysql2://app:@@mysql.internal/prod\"", "{A18}"),
    ("rabbit", "broker_url = amqp://celery:@@rabbit:5672//", "{A14}"),
    ("elastic", "https://elastic:@@es.internal:9200/_cat/health", "{A20}"),
    ("proxy", "export HTTPS_PROXY=http://corp:@@proxy.host.tld:3128", "{A9}8"),
    ("rediss", "rediss://default:@@x.upstash.io:6379", "{A32}"),
    ("git push", "remote: https://ci:@@git.host.tld/a/b.git", "{A26}"),
    ("odbc", "Driver={SQL};Server=h;Uid=sa;Pwd=@;", "{A10}6"),
    ("cosmos", "AccountEndpoint=https://x.documents.azure.com:443/;AccountKey=@;", "{b86}=="),
    ("websocket", "wss://stream.host.tld/ws?access_token=@&v=2", "{A36}"),
    ("reset link", "https://app.host.tld/reset?token=@", "{A40}"),
    ("signature", "https://cdn.host.tld/f.png?Expires=1700000000&Signature=@&Key-Pair-Id=x", "{A60}~{A20}"),
    ("basic header", "headers = {'Authorization': 'Basic @'}", "{b32}=="),
    ("digest of http log", "DEBUG http: send header authorization='Bearer @'", "{A48}"),
    ("api key header", "curl -H \"x-api-key: @\" https://api.host.tld", "{A40}"),
    ("apikey query", "GET /v1/data?apikey=@&fmt=json", "{l32}"),
    ("httpie", "http POST api.host.tld Authorization:\"Bearer @\"", "{A40}"),
    ("cookie php", "Cookie: PHPSESSID=@", "{l26}"),
    ("cookie long", "curl -b x -H 'Cookie: _session=@; a=1' https://h.tld", "{A64}"),
    ("wget", "wget --user=me --password=@ https://h.tld/f", "{A9}4"),
    ("az login", "az login --service-principal -u app -p @ --tenant t", "{A30}"),
    ("helm", "helm registry login r.host.tld -u me -p '@'", "{A20}"),
    ("mysqladmin", "mysqldump --password=@ app > x.sql", "{A9}4"),
    ("gradle", "signing.password=@", "{A12}6"),
    ("terraform", "resource \"x\" \"y\" {\n  master_password = \"@\"\n}", "{A14}!2"),
    ("ansible", "ansible_become_password: @", "{A10}3"),
    ("kubectl output", "  AUTH_TOKEN:  @\n  PORT:        80", "{A30}"),
    ("env in docker inspect", "\"Env\": [\"A=1\", \"SECRET_TOKEN=@\"]", "{A30}"),
    ("java properties", "spring.datasource.password=@", "{A11}5"),
    ("rust const", "const API_KEY: &str = \"@\";", "{A32}"),
    ("shell here", "echo \"@\" > ~/.vault-token # token: @", "hv|s.{A28}"),
    ("argon2", "hash=@", "$argon2id$v=19$m=65536,t=3,p=4${A22}${A43}"),
];

/// Private keys: kind, the text with `@` (on one line: `#`) in the place of their lines; `¦` is dropped.
const PRIVATE_KEYS: [(&str, &str); 4] = [
    ("dsa", "Here:\n\n-----BEGIN DSA PRI¦VATE KEY-----\n@\n-----END DSA PRI¦VATE KEY-----\n\nThanks"),
    ("yaml block", "key: |\n  -----BEGIN PRI¦VATE KEY-----\n  @\n  -----END PRI¦VATE KEY-----\nport: 1"),
    ("environment", "KEY=\"-----BEGIN EC PRI¦VATE KEY-----\\n#\\n-----END EC PRI¦VATE KEY-----\""),
    ("cut in json", "{\"k\":\"-----BEGIN PRI¦VATE KEY-----\\n#"),
];

/// Where what is known by its form stands.
const UNNAMED_CONTEXTS: [Context; 9] = [
    ("quoted", |_, secret| format!("'{secret}'")),
    ("question", |_, secret| format!("why does {secret} give a 401 here?")),
    ("command", |_, secret| format!("./run.sh {secret} staging 2>&1 | tail -5")),
    ("environment", |_, secret| format!("declare -x ITEM=\"{secret}\"\ndeclare -x PATH=\"/usr/bin\"")),
    ("json", |_, secret| format!("[\n  {{\n    \"item\": \"{secret}\"\n  }}\n]")),
    ("csv", |_, secret| format!("id,item,when\n12,{secret},2026-02-01\n")),
    ("traceback", |_, secret| {
        format!("ValueError: cannot use '{secret}' ({} chars)\n  at main.py:12", secret.len())
    }),
    ("url path", |_, secret| format!("<a href=\"https://host.tld/x?item={secret}#top\">x</a>")),
    ("base64", |_, secret| {
        format!("echo {} | base64 -d", base64(format!("{{\"item\":\"{secret}\"}}").as_bytes()))
    }),
];

/// Where what is known by its name stands.
const NAMED_CONTEXTS: [Context; 11] = [
    ("dump", |name, secret| format!("SHELL=/bin/bash\n{}={secret}\nTERM=xterm\n", name.loud)),
    ("inline", |name, secret| format!("{}={secret} ./gradlew publish", name.loud)),
    ("fish", |name, secret| format!("set -x {} '{secret}'", name.loud)),
    ("header", |name, secret| format!("> X-{}: {secret}\n> Accept: */*", name.kebab)),
    ("json", |name, secret| format!("{{\n  \"{}\": \"{secret}\"\n}}", name.snake)),
    ("ini", |name, secret| format!("[main]\n{} = {secret}\nport = 1\n", name.snake)),
    ("properties", |name, secret| format!("app.{}={secret}\napp.port=1\n", name.camel)),
    ("go", |name, secret| format!("cfg := Config{{Host: \"h\", {}: \"{secret}\"}}", name.camel)),
    ("ruby", |name, secret| format!("connect(:host => 'h', :{} => '{secret}')", name.snake)),
    ("query", |name, secret| format!("POST /hook?{}={secret}&v=1 HTTP/1.1", name.snake)),
    ("kubectl", |name, secret| {
        format!("kubectl create secret generic s --from-literal={}={secret}", name.kebab)
    }),
];

/// What only looks like secrets.
const HARMLESS: [Kind; 28] = [
    ("reflog", |draw| {
        format!("{} HEAD@{{{}}}: commit: {} the {}", hex(draw, 9), draw.below(40), word(draw), word(draw))
    }),
    ("diff index", |draw| format!("index {}..{} 100644", hex(draw, 10), hex(draw, 10))),
    ("tree", |draw| format!("100644 blob {}\tsrc/{}.rs", hex(draw, 40), word(draw))),
    ("pnpm lock", |draw| format!("resolution: {{integrity: sha512-{}==}}", draw.from(BASE64, 86))),
    ("yarn lock", |draw| format!("  checksum: 10c0/{}", hex(draw, 128))),
    ("poetry lock", |draw| {
        format!(
            "    {{file = \"{}-1.0-py3-none-any.whl\", hash = \"sha256:{}\"}},",
            word(draw),
            hex(draw, 64)
        )
    }),
    ("nix hash", |draw| format!("sha256 = \"sha256-{}=\";", draw.from(BASE64, 43))),
    ("etag", |draw| {
        format!("< etag: W/\"{}-{}\"\n< x-request-id: {}", hex(draw, 3), draw.fill("{A27}"), draw.uuid())
    }),
    ("trace ids", |draw| format!("traceparent: 00-{}-{}-01", hex(draw, 32), hex(draw, 16))),
    ("ulid", |draw| {
        format!("run 01J{} of {}", draw.from("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 23), word(draw))
    }),
    ("kubernetes names", |draw| {
        format!(
            "pod/{}-{}-{} 1/1 Running",
            word(draw),
            hex(draw, 10),
            draw.from("bcdfghjklmnpqrstvwxz2456789", 5)
        )
    }),
    ("object ids", |draw| {
        format!("{{\"_id\":{{\"$oid\":\"{}\"}},\"key\":\"{}\"}}", hex(draw, 24), word(draw))
    }),
    ("source map", |draw| format!("//# sourceMappingURL={}-{}.js.map", word(draw), hex(draw, 8))),
    ("cache key", |draw| format!("Cache restored from key: {}-cargo-{}", word(draw), hex(draw, 64))),
    ("public tokens", |draw| {
        format!("<script src=\"/x.js\" nonce=\"{}\" data-key=\"{}\">", draw.fill("{A22}"), word(draw))
    }),
    ("key in a map", |draw| {
        format!(
            "primary_key: {}_id, sort_key = \"created_{}\", cacheKey: '{}:{}'",
            word(draw),
            word(draw),
            word(draw),
            draw.below(999)
        )
    }),
    ("lexer", |draw| {
        format!(
            "Token {{ kind: Ident, text: \"{}{}\", span: {}..{} }}",
            word(draw),
            draw.below(99),
            draw.below(99),
            draw.below(999)
        )
    }),
    ("form", |draw| {
        format!(
            "<input type=\"password\" name=\"password\" placeholder=\"Your {} password\" autocomplete=\"new-password\">",
            word(draw)
        )
    }),
    ("schema", |draw| {
        format!(
            "\"password\": {{\"type\": \"string\", \"minLength\": {}}}, \"token\": {{\"$ref\": \"#/defs/{}\"}}",
            draw.below(20),
            word(draw)
        )
    }),
    ("translation", |draw| {
        format!(
            "\"password\": \"Passwort\", \"forgot_password\": \"Forgot the password of your {}?\", \"api_key\": \"API key\"",
            word(draw)
        )
    }),
    ("setters", |draw| {
        format!("user.setPassword({}Password); client.token = {}.getToken()", word(draw), word(draw))
    }),
    ("test of a comparison", |draw| {
        format!("assert_eq!(token, \"{}\"); expect(password).toBe(undefined)", word(draw))
    }),
    ("shell prompts", |draw| {
        format!(
            "read -s -p 'Password: ' pass && echo \"$pass\" | docker login -u {} --password-stdin",
            word(draw)
        )
    }),
    ("actions", |draw| {
        format!(
            "env:\n  TOKEN: ${{{{ secrets.{}_TOKEN }}}}\n  KEY: ${{{{ env.KEY }}}}",
            word(draw).to_uppercase()
        )
    }),
    ("documentation", |draw| {
        format!(
            "Set `API_KEY` (see {}), then pass `--token <TOKEN>` or `Authorization: Bearer <token>`.",
            word(draw)
        )
    }),
    ("rust", |draw| {
        format!(
            "pub fn with_token(mut self, token: impl Into<String>) -> Self {{ self.{} = Some(token.into()); self }}",
            word(draw)
        )
    }),
    ("numbers", |draw| {
        format!(
            "tokens: {} in, {} out; key {} of {}; auth took {} ms",
            draw.below(200_000),
            draw.below(9_000),
            draw.below(99),
            draw.below(999),
            draw.below(900)
        )
    }),
    ("svg path", |draw| {
        format!(
            "<path d=\"M{}.{} {}c-{}.5.3-1 0-1.{}z\" fill=\"#{}\"/>",
            draw.below(99),
            draw.below(99),
            draw.below(99),
            draw.below(9),
            draw.below(9),
            hex(draw, 6)
        )
    }),
];
