//! The third part: held back after the second was looked at, then looked at, too.

use super::{Context, Part};
use crate::draw::{BASE64, base64};
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
const OWN_FORM: [(&str, &str); 18] = [
    ("gitlab mail", "gl|imt-{A25}"),
    ("gitlab flags", "gl|ffct-{A20}"),
    ("gitlab routable", "gl|pat-{A30}.01{l7}"),
    ("github server long", "gh|s_{A40}"),
    ("aws bedrock short", "bedrock|-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t{b60}"),
    ("digitalocean refresh", "dor|_v1_{h64}"),
    ("easypost test", "EZ|TK{A54}"),
    ("facebook page", "EA|AC{A120}"),
    ("fireworks", "f|w_{A24}"),
    ("jina", "jin|a_{A60}"),
    ("langsmith", "lsv|2_pt_{h32}_{h10}"),
    ("slack config", "xox|e.xox|p-1-{u164}"),
    ("stripe restricted test", "rk|_test_{A30}"),
    ("shopify custom", "shp|ca_{h32}"),
    ("doppler service", "dp.|st.prod.{A43}"),
    ("vault short", "hv|s.{A24}"),
    ("cloudflare origin", "v1|.0-{h24}-{h146}"),
    ("jwt none", "ey|JhbGciOiJFUzI1NiJ9.ey|JleHAiOjE3OTk5{A20}.{A60}"),
];

/// Known by their names: kind, name, template.
const NAMED: [(&str, &str, &str); 24] = [
    ("password of a person", "login_password", "Sommer{d4}!"),
    ("password of letters and digits", "db_password", "b4nana{d2}split"),
    ("password with punctuation", "ldap_password", "x;{A6}:y{d1}"),
    ("password long", "vault_password", "{A24}"),
    ("password with dashes", "archive_password", "{A4}-{A4}-{d4}"),
    ("pass", "mail_pass", "{A10}8"),
    ("passphrase", "gpg_passphrase", "{A20}"),
    ("token", "gitlab_token", "{A26}"),
    ("token lower", "slack_token", "{l30}"),
    ("token with colon", "bot_token", "{d9}:{A30}"),
    ("token short", "pushover_token", "{l30}"),
    ("secret lower", "session_secret", "{l40}"),
    ("secret hex", "shared_secret", "{h48}"),
    ("secret padded", "cookie_secret", "{b22}=="),
    ("api key lower", "weather_api_key", "{l32}"),
    ("api key upper", "maps_api_key", "{u32}"),
    ("access key", "access_key", "{A20}"),
    ("private key", "wallet_private_key", "{h64}"),
    ("license key", "license_key", "{h8}-{h8}-{h8}"),
    ("service key", "service_key", "{b40}"),
    ("admin key", "meili_master_key", "{A43}"),
    ("credential", "backend_credential", "{A30}"),
    ("sentry", "sentry_auth_token", "{h64}"),
    ("netlify", "netlify_auth_token", "{A43}"),
];

/// In place: kind, the text with `@` in the secret's place, template.
const WHOLE: [(&str, &str, &str); 20] = [
    ("clickhouse", "clickhouse://default:@@ch.internal:9000/db", "{A16}"),
    ("sftp", "sftp://backup:@@vault.host.tld:22/dumps", "{A12}"),
    ("sqlalchemy", "create_engine('postgresql+psycopg2://app:@@db/app')", "{A12}9"),
    ("pip", "pip install --index-url https://me:@@pypi.host.tld/simple pkg", "{A24}"),
    ("celery", "CELERY_BROKER_URL: \"redis://:@@redis:6379/1\"", "{A22}"),
    ("git config", "git config --global url.\"https://x:@@git.host.tld/\".insteadOf y", "{A36}"),
    ("proxy authorization", "Proxy-Authorization: Basic @", "{b28}"),
    ("grpc", "metadata: authorization=[Bearer @]", "{A44}"),
    ("axios", "headers: { Authorization: `Bearer @` }", "{A44}"),
    ("header of a vendor", "X-Auth-Token: @", "{h40}"),
    ("cookie of java", "Cookie: JSESSIONID=@; Path=/", "{H32}"),
    ("download", "https://dl.host.tld/f?access_key=@&id=3", "{A32}"),
    ("graphql", "{\"variables\":{\"input\":{\"password\":\"@\"}}}", "{A9}7"),
    ("basic in url base64", "curl -u \"deploy:@\" -X POST https://h.tld", "{A15}4"),
    ("mysql env", "MYSQL_ROOT_PASSWORD: @", "{A13}2"),
    ("sql grant", "GRANT ALL ON a.* TO b IDENTIFIED BY '@';", "{A11}3"),
    ("ssh", "sshpass -p@ scp f root@h:/", "{A11}3"),
    ("connection", "amqp_uri = 'amqp://svc:@@rabbit.host.tld/v'", "{A17}"),
    ("k8s literal", "stringData:\n  api-key: @\n", "{A32}"),
    ("dotnet", "\"ConnectionStrings\": {\"D\": \"Server=h;User=sa;Password=@;\"}", "{A10}!4"),
];

/// Private keys: kind, the text with `@` (on one line: `#`) in the place of their lines; `¦` is dropped.
const PRIVATE_KEYS: [(&str, &str); 3] = [
    ("rsa on windows", "-----BEGIN RSA PRI¦VATE KEY-----\r\n@\r\n-----END RSA PRI¦VATE KEY-----\r\n"),
    ("in a diff", "+-----BEGIN PRI¦VATE KEY-----\n@\n+-----END PRI¦VATE KEY-----"),
    (
        "twice escaped",
        "\"{\\\"k\\\":\\\"-----BEGIN PRI¦VATE KEY-----\\\\\\\\n#\\\\\\\\n-----END PRI¦VATE KEY-----\\\"}\"",
    ),
];

/// Where what is known by its form stands.
const UNNAMED_CONTEXTS: [Context; 8] = [
    ("brackets", |_, secret| format!("[{secret}]")),
    ("tuple", |_, secret| format!("upload(('{secret}', 3), True)")),
    ("end of a sentence", |_, secret| format!("It was {secret}.")),
    ("makefile", |_, secret| format!("THING := {secret}\nall:\n\tbuild")),
    ("terminal", |_, secret| format!("dev@host:~/app$ ./login {secret}\nwelcome back")),
    ("table", |_, secret| format!("| thing | value |\n|---|---|\n| a | {secret} |")),
    ("logfmt", |_, secret| format!("level=info msg=\"got thing\" thing=\"{secret}\" took=3ms")),
    ("base64", |_, secret| format!("Content: {}", base64(format!("export THING={secret}").as_bytes()))),
];

/// Where what is known by its name stands.
const NAMED_CONTEXTS: [Context; 10] = [
    ("powershell", |name, secret| format!("$env:{} = \"{secret}\"", name.loud)),
    ("cmd", |name, secret| format!("set {}={secret}\r\nstart app.exe", name.loud)),
    ("makefile", |name, secret| format!("{} := {secret}\nall:\n\tbuild", name.loud)),
    ("c", |name, secret| format!("#define {} \"{secret}\"", name.loud)),
    ("java", |name, secret| format!("private static final String {} = \"{secret}\";", name.loud)),
    ("csharp", |name, secret| format!("new Options {{ Host = \"h\", {} = \"{secret}\" }}", name.camel)),
    ("python dict", |name, secret| {
        format!("requests.post(u, json={{'{}': '{secret}', 'n': 1}})", name.snake)
    }),
    ("logfmt", |name, secret| format!("level=info msg=\"got\" {}={secret} took=3ms", name.snake)),
    ("compose", |name, secret| format!("    environment:\n      - {}={secret}\n      - A=1\n", name.loud)),
    ("dotenv", |name, secret| format!("# settings\n{}='{secret}'\n", name.loud)),
];

/// What only looks like secrets.
const HARMLESS: [Kind; 20] = [
    ("blame", |draw| {
        format!(
            "^{} (Dev 2026-01-0{} 10:00:00 +0000 {}) let key = {};",
            hex(draw, 8),
            1 + draw.below(9),
            draw.below(99),
            word(draw)
        )
    }),
    ("merge", |draw| {
        format!("Merge: {} {}\n    Merge branch '{}/{}'", hex(draw, 7), hex(draw, 7), word(draw), word(draw))
    }),
    ("artifact", |draw| format!("sha256:{}: Pulling from library/{}", hex(draw, 12), word(draw))),
    ("gradle", |draw| format!("<sha256 value=\"{}\" origin=\"Generated\"/>", hex(draw, 64))),
    ("nuget lock", |draw| format!("\"contentHash\": \"{}==\"", draw.from(BASE64, 86))),
    ("pods", |draw| format!("  {}: {}", camel(draw), hex(draw, 40))),
    ("uuid list", |draw| format!("[\"{}\", \"{}\"]", draw.uuid(), draw.uuid())),
    ("build id", |draw| {
        format!(
            "build {} of {} finished in {}s (run {})",
            draw.below(99_999),
            word(draw),
            draw.below(900),
            draw.below(999_999_999)
        )
    }),
    ("websocket", |draw| {
        format!("Sec-WebSocket-Version: 13\nSec-WebSocket-Extensions: permessage-{}", word(draw))
    }),
    ("sql", |draw| {
        format!(
            "CREATE TABLE {} (id INT PRIMARY KEY, token VARCHAR(64) NOT NULL, password_hash TEXT)",
            word(draw)
        )
    }),
    ("python", |draw| {
        format!(
            "def login(user, password=None, token: str | None = None): return {}.check(password, token)",
            word(draw)
        )
    }),
    ("typescript", |draw| {
        format!(
            "export interface Auth {{ accessToken: string; refreshToken?: string; {}: number }}",
            word(draw)
        )
    }),
    ("go", |draw| {
        format!(
            "if err := {}.SetToken(ctx, cfg.Token); err != nil {{ return fmt.Errorf(\"token: %w\", err) }}",
            word(draw)
        )
    }),
    ("yaml reference", |draw| {
        format!("valueFrom:\n  secretKeyRef:\n    name: {}-secret\n    key: password", word(draw))
    }),
    ("helm", |draw| format!("password: {{{{ .Values.{}.password | quote }}}}", word(draw))),
    ("terraform", |draw| {
        format!("password = var.{}_password\ntoken    = data.vault.{}.token", word(draw), word(draw))
    }),
    ("question", |draw| {
        format!(
            "Which token do I need for the {}? The docs say: set the API key, then the secret.",
            word(draw)
        )
    }),
    ("compiler", |draw| {
        format!(
            "warning: unused variable: `secret_{}` --> src/{}.rs:{}:{}",
            word(draw),
            word(draw),
            draw.below(900),
            draw.below(80)
        )
    }),
    ("usage", |draw| {
        format!(
            "input_tokens={} output_tokens={} cache_read_input_tokens={}",
            draw.below(99_999),
            draw.below(9_999),
            draw.below(999_999)
        )
    }),
    ("colours", |draw| {
        format!(
            "--{}-key: rgb({} {} {}); --token-{}: #{};",
            word(draw),
            draw.below(255),
            draw.below(255),
            draw.below(255),
            word(draw),
            hex(draw, 6)
        )
    }),
];
