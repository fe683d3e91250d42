//! The fourth part: held back after the third was looked at, then looked at, too.

use super::{Context, Part};
use crate::draw::BASE64;
use crate::harmless::{Kind, camel, hex, word};

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
const OWN_FORM: [(&str, &str); 16] = [
    ("github pat", "gh|p_{A36}"),
    ("gitlab runner routable", "gl|rt-t1_{A30}.01{l7}"),
    ("anthropic session", "sk-|ant-sid01-{A80}AA"),
    ("openai project short", "sk|-proj-{A48}"),
    ("groq", "gs|k_{A52}"),
    ("e2b", "e2|b_{h40}"),
    ("firecrawl", "f|c-{h32}"),
    ("langfuse", "sk|-lf-{U}"),
    ("aws temporary", "AS|IA{u16}"),
    ("docker organisation", "dckr|_oat_{A32}"),
    ("shopify private", "shp|pa_{h32}"),
    ("supabase secret", "sb|_secret_{A32}"),
    ("linear", "lin|_api_{A40}"),
    ("settlemint service", "sm|_sat_{A16}"),
    ("vault recovery", "hv|r.{A40}"),
    ("telegram", "{d9}:A|A{A33}"),
];

/// Known by their names: kind, name, template.
const NAMED: [(&str, &str, &str); 22] = [
    ("password plain", "postgres_password", "{l12}"),
    ("password with caps", "sudo_password", "Xy{d3}zW"),
    ("password like a word", "jenkins_password", "Winter2{d3}"),
    ("password with slash", "ftp_password", "a/{A8}/b{d1}"),
    ("password with at", "imap_password", "p@{A7}{d1}"),
    ("passwd", "admin_passwd", "{l10}{d1}"),
    ("token", "travis_token", "{A22}"),
    ("token", "dropbox_access_token", "{A64}"),
    ("token", "mattermost_token", "{l26}"),
    ("token", "asana_access_token", "1/{d16}:{h32}"),
    ("secret", "linkedin_client_secret", "{A16}"),
    ("secret", "discord_client_secret", "{A32}"),
    ("secret", "twitch_client_secret", "{l30}"),
    ("secret", "plaid_secret", "{h30}"),
    ("secret", "facebook_app_secret", "{h32}"),
    ("key", "adafruit_io_key", "{A32}"),
    ("key", "bittrex_api_key", "{h32}"),
    ("key", "intercom_api_key", "{A60}"),
    ("key", "kraken_private_key", "{b86}=="),
    ("key", "rapidapi_key", "{h10}msh{h30}"),
    ("key", "secret_access_key", "{b40}"),
    ("credentials", "aws_creds", "{A36}"),
];

/// In place: kind, the text with `@` in the secret's place, template.
const WHOLE: [(&str, &str, &str); 16] = [
    ("nats", "nats://svc:@@nats.internal:4222", "{A18}"),
    ("ldap", "ldap://cn=admin:@@ldap.internal", "{A10}5"),
    ("couchdb", "COUCH=http://admin:@@couch:5984", "{A12}"),
    ("snowflake", "snowflake://me:@@acct/db/schema?warehouse=w", "{A14}"),
    ("git over https", "fatal: unable to access 'https://me:@@git.host.tld/x.git/': 403", "{A30}"),
    ("amz token", "x-amz-security-token: @", "{b180}"),
    ("auth header of python", "session.headers.update({\"Authorization\": \"Token @\"})", "{h40}"),
    ("auth in yaml", "authorization: Bearer @", "{A50}"),
    ("query", "https://h.tld/api?api_key=@&q=x", "{A32}"),
    ("webhook", "https://h.tld/hook?secret=@", "{A32}"),
    ("cookie jar", "Set-Cookie: auth_token=@; Secure; SameSite=Lax", "{A44}"),
    ("postgres keywords", "host=db port=5432 user=app password=@ dbname=x", "{A12}4"),
    ("npm", "npm config set //r.host.tld/:_authToken @", "{A36}"),
    ("redis", "requirepass @", "{A24}"),
    ("openssl", "openssl enc -aes-256-cbc -pass pass:@ -in f", "{A12}4"),
    ("basic", "Authorization: Basic @=", "{b31}"),
];

/// Private keys: kind, the text with `@` (on one line: `#`) in the place of their lines; `¦` is dropped.
const PRIVATE_KEYS: [(&str, &str); 2] = [
    (
        "openssh in a log",
        "2026-01-01 INFO key=-----BEGIN OPENSSH PRI¦VATE KEY-----\n@\n-----END OPENSSH PRI¦VATE KEY----- done",
    ),
    ("quoted mail", "> -----BEGIN PRI¦VATE KEY-----\n> @\n> -----END PRI¦VATE KEY-----"),
];

/// Where what is known by its form stands.
const UNNAMED_CONTEXTS: [Context; 7] = [
    ("angle", |_, secret| format!("<{secret}>")),
    ("arrow", |_, secret| format!("value -> {secret}")),
    ("two of them", |_, secret| format!("{secret},{secret}")),
    ("html", |_, secret| format!("<td class=\"mono\">{secret}</td>")),
    ("sed", |_, secret| format!("sed -i 's/THING/{secret}/' app.conf")),
    ("assertion", |_, secret| {
        format!("assertion `left == right` failed\n  left: \"{secret}\"\n right: \"\"")
    }),
    ("path", |_, secret| format!("open /home/dev/keys/{secret}.txt: no such file")),
];

/// Where what is known by its name stands.
const NAMED_CONTEXTS: [Context; 9] = [
    ("assignment in a test", |name, secret| format!("    self.{} = \"{secret}\"", name.snake)),
    ("swift", |name, secret| format!("let {} = \"{secret}\"", name.camel)),
    ("kotlin", |name, secret| format!("val {}: String = \"{secret}\"", name.camel)),
    ("yaml plain", |name, secret| format!("{}: {secret}\n", name.kebab)),
    ("json list", |name, secret| format!("[{{\"name\": \"{}\", \"value\": \"{secret}\"}}]", name.loud)),
    ("fly", |name, secret| format!("fly secrets set {}={secret} --app x", name.loud)),
    ("env command", |name, secret| format!("env {}={secret} node server.js", name.loud)),
    ("comment", |name, secret| format!("// {}: {secret}", name.snake)),
    ("quoted env", |name, secret| format!("\"{}={secret}\",", name.loud)),
];

/// What only looks like secrets.
const HARMLESS: [Kind; 20] = [
    ("stash", |draw| {
        format!("stash@{{{}}}: WIP on {}: {} {}", draw.below(9), word(draw), hex(draw, 7), word(draw))
    }),
    ("bisect", |draw| format!("{} is the first bad commit", hex(draw, 40))),
    ("submodule", |draw| format!("-{} vendor/{}", hex(draw, 40), word(draw))),
    ("bun lock", |draw| {
        format!(
            "[\"{}@1.{}.0\", \"\", {{}}, \"sha512-{}==\"],",
            word(draw),
            draw.below(30),
            draw.from(BASE64, 86)
        )
    }),
    ("pip hash", |draw| format!("    --hash=sha256:{} \\", hex(draw, 64))),
    ("gem", |draw| format!("  {} (1.{}.2) sha256={}", word(draw), draw.below(30), hex(draw, 64))),
    ("oci", |draw| {
        format!(
            "{{\"mediaType\":\"application/x\",\"digest\":\"sha256:{}\",\"size\":{}}}",
            hex(draw, 64),
            draw.below(99_999)
        )
    }),
    ("request ids", |draw| format!("x-amzn-requestid: {} cf-ray: {}-FRA", draw.uuid(), hex(draw, 16))),
    ("sessions", |draw| format!("{{\"sessionId\":\"{}\",\"parentUuid\":\"{}\"}}", draw.uuid(), draw.uuid())),
    ("call", |draw| {
        format!("{{\"tool_use_id\":\"toolu_01{}\",\"type\":\"tool_result\"}}", draw.fill("{A22}"))
    }),
    ("thinking", |draw| {
        format!(
            "The {} reads the token from the config; if the key is missing it falls back to {}.",
            word(draw),
            word(draw)
        )
    }),
    ("mac address", |draw| {
        format!(
            "eth0 {}:{}:{}:{}:{}:{}",
            hex(draw, 2),
            hex(draw, 2),
            hex(draw, 2),
            hex(draw, 2),
            hex(draw, 2),
            hex(draw, 2)
        )
    }),
    ("addresses of memory", |draw| {
        format!(
            "0x{} in {}_{} () at {}.c:{}",
            hex(draw, 16),
            word(draw),
            word(draw),
            word(draw),
            draw.below(900)
        )
    }),
    ("assembly", |draw| {
        format!("  {}: {} {} mov %rax,0x{}(%rsp)", hex(draw, 6), hex(draw, 2), hex(draw, 2), hex(draw, 3))
    }),
    ("keyboard", |draw| {
        format!(
            "bindsym $mod+key{} exec {} --key ctrl-{}",
            draw.below(9),
            word(draw),
            draw.pick(&["a", "b", "c"])
        )
    }),
    ("python class", |draw| {
        format!(
            "class TokenAuth{}(AuthBase):\n    def __init__(self, token): self.token = token",
            draw.below(9)
        )
    }),
    ("parameters", |draw| {
        format!("@Param('token') token: string, @Body() body: {}Dto{}", camel(draw), draw.below(9))
    }),
    ("licence", |draw| {
        format!(
            "Licensed under the {} licence; see the KEY file, section {}.{}",
            word(draw),
            draw.below(9),
            draw.below(9)
        )
    }),
    ("benchmarks", |draw| {
        format!(
            "bench_{}_{}    time:   [{}.{} us {}.{} us]",
            word(draw),
            word(draw),
            draw.below(99),
            draw.below(99),
            draw.below(99),
            draw.below(99)
        )
    }),
    ("json patch", |draw| {
        format!("{{\"op\":\"replace\",\"path\":\"/auth/{}\",\"value\":{}}}", word(draw), draw.below(999))
    }),
];
