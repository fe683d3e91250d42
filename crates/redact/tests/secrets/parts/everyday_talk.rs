//! The everyday part: code and prose that talk of secrets, and hold none.

use super::everyday_harmless::{proper, topic};
use crate::draw::BASE64;
use crate::harmless::{Kind, camel, hex, word};

use super::Part;

/// No secrets: only texts.
pub(crate) const PART: Part = Part {
    own_form: &[],
    named: &[],
    whole: &[],
    private_keys: &[],
    unnamed_contexts: &[],
    named_contexts: &[],
    harmless: HARMLESS,
};

/// What only looks like secrets.
const HARMLESS: &[Kind] = &[
    ("names of tests", |draw| {
        format!(
            "test {}::rejects_an_expired_{}_for_{} ... {}",
            word(draw),
            topic(draw),
            word(draw),
            draw.pick(&["ok", "FAILED", "ignored"])
        )
    }),
    ("translations", |draw| {
        let text = draw.pick(&[
            "\"login.password\": \"Password\"",
            "\"password_forgot\": \"Forgot your password?\"",
            "\"token_expired\": \"Your token has expired. Please sign in again.\"",
            "\"apiKeyLabel\": \"API key\"",
            "\"confirmPassword\": \"Confirm password\"",
            "\"secret_hint\": \"Never share this secret with anyone\"",
        ]);
        format!("  \"{}\": \"{}\",\n  {text},", camel(draw), proper(draw))
    }),
    ("forms", |draw| {
        format!(
            "<input type=\"password\" name=\"password\" id=\"{}\" placeholder=\"Password\" />",
            camel(draw)
        )
    }),
    ("columns", |draw| {
        let text = draw.pick(&[
            "ALTER TABLE @ ADD COLUMN password_hash varchar(255) NOT NULL;",
            "SELECT id, email, password_digest FROM @ WHERE reset_token IS NULL;",
            "CREATE UNIQUE INDEX idx_@_token ON @ (token);",
            "    PRIMARY KEY (id), FOREIGN KEY (@_id) REFERENCES @(id)",
            "  t.string :encrypted_password, null: false, default: \"\"",
            "INSERT INTO @ (name, token) VALUES ($1, $2) RETURNING id;",
        ]);
        format!("-- {}\n{}", draw.below(99), text.replace('@', word(draw)))
    }),
    ("prose", |draw| {
        let text = draw.pick(&[
            "The access token is refreshed five minutes before it expires, see @.",
            "Secrets are kept in the vault; the @ never sees the password.",
            "I'll add a check that the API key is set before the @ starts.",
            "The password must have at least twelve characters, says the @.",
            "Each token: a word or a part of one, as the @ counts them.",
            "The secret: keep the @ small.",
            "Authentication uses a bearer token that the @ signs with a private key.",
            "Password reset mails go through the @ queue.",
        ]);
        format!("{} ({})", text.replace('@', word(draw)), draw.below(99))
    }),
    ("headings", |draw| {
        format!(
            "## {} {}\n\n- [ ] Rotate the {} key",
            proper(draw),
            draw.pick(&["tokens", "secrets", "keys"]),
            word(draw)
        )
    }),
    ("counts of tokens", |draw| {
        let text = draw.pick(&[
            "\"max_tokens\": @,",
            "\"usage\":{\"input_tokens\":@,\"output_tokens\":17,\"cache_read_input_tokens\":@}",
            "token_budget = @",
            "MAX_OUTPUT_TOKENS=@",
            "Total tokens: @ (prompt: 812)",
            "tokens_per_minute: @",
            "password_min_length: 12 # @",
        ]);
        let count = draw.below(200_000).to_string();
        text.replace('@', &count)
    }),
    ("lifetimes", |draw| {
        let text = draw.pick(&[
            "ACCESS_TOKEN_EXPIRE_MINUTES=@",
            "jwt.expiration=@",
            "\"token_type\": \"Bearer\", \"expires_in\": @",
            "SESSION_TOKEN_TTL: @s",
            "refreshTokenLifetime: @,",
            "passwordResetTimeoutHours = @",
        ]);
        let count = draw.below(90_000).to_string();
        text.replace('@', &count)
    }),
    ("flags of features", |draw| {
        let text = draw.pick(&[
            "@_secret_enabled: true",
            "ENABLE_%_TOKEN=false",
            "\"requirePassword!\": true,",
            "use_@_token = False",
            "passwordLogin!Enabled=true",
        ]);
        let (plain, big) = (word(draw), proper(draw));
        text.replace('@', plain).replace('%', &plain.to_uppercase()).replace('!', &big)
    }),
    ("keys of a cache", |draw| {
        let text = draw.pick(&[
            "cache_key = f\"@:{user.id}:v2\"",
            "key: ${{ runner.os }}-@-${{ hashFiles('**/Cargo.lock') }}",
            "Cache hit for key: linux-@-",
            "redis.get(`@:session:${id}`)",
            "Cache restored from key: node-cache-Linux-x64-@-",
        ]);
        format!(
            "{}{}",
            text.replace('@', word(draw)),
            if text.ends_with('-') { hex(draw, 64) } else { String::new() }
        )
    }),
    ("keys of a list", |draw| {
        let text = draw.pick(&[
            "{items.map((item) => <Row key={item.id} @={item.@} />)}",
            "<li key={`@-${index}`}>",
            "sort_key: @_at",
            "sorted(rows, key=lambda row: row.@)",
            "partitionKey: '@Id', sortKey: 'createdAt'",
            "primaryKey: \"@_id\"",
            "t('@.list.title')",
            "for (const [key, value] of Object.entries(@)) {",
            "KeyError: '@'",
        ]);
        format!("{} // {}", text.replace('@', word(draw)), draw.below(99))
    }),
    ("key presses", |draw| {
        format!(
            "if (event.key === '{}') {}();",
            draw.pick(&["Enter", "Escape", "ArrowDown", "Tab"]),
            camel(draw)
        )
    }),
    ("stack trace", |draw| {
        format!(
            "TypeError: Cannot read properties of undefined (reading 'token')\n    \
             at {}.{} (/app/node_modules/{}/dist/index.js:{}:{})",
            proper(draw),
            camel(draw),
            word(draw),
            draw.below(900),
            draw.below(90)
        )
    }),
    ("refused without a value", |draw| {
        let text = draw.pick(&[
            "FATAL: password authentication failed for user \"@\"",
            "Error: Invalid token",
            "remote: Invalid username or password.",
            "error: secret \"@\" not found",
            "401 Unauthorized: missing API key",
            "jwt malformed",
            "Permission denied (publickey,password).",
            "Error: secretOrPrivateKey must have a value",
            "npm error code ENEEDAUTH: need auth, run `npm login`",
        ]);
        format!("[{}] {}", word(draw), text.replace('@', word(draw)))
    }),
    ("files of keys", |draw| {
        let text = draw.pick(&[
            "--key-file /etc/@/tls/server.key",
            "--token-file=/var/run/secrets/@/token",
            "POSTGRES_PASSWORD_FILE=/run/secrets/@_password",
            "ssh -i ~/.ssh/id_ed25519_@ deploy@host",
            "ssl_certificate_key /etc/nginx/ssl/@.key;",
            "GOOGLE_APPLICATION_CREDENTIALS=/app/config/@.json",
            "docker login -u ci --password-stdin @.example.com",
            "IdentityFile ~/.ssh/@_rsa",
            "private_key_path = \"keys/@.pem\"",
        ]);
        format!("{} # {}", text.replacen('@', word(draw), 1), draw.below(99))
    }),
    ("paths", |draw| {
        format!(
            "crates/{}/src/{}/{}.rs:{}: pub fn {}_token() {{",
            word(draw),
            topic(draw),
            word(draw),
            draw.below(900),
            word(draw)
        )
    }),
    ("addresses with ids", |draw| {
        let id = draw.uuid();
        let number = draw.below(90_000);
        let text = draw.pick(&[
            "https://github.com/acme/@/pull/!/files#diff-",
            "https://app.example.com/@/%/edit?tab=keys",
            "https://console.example.com/projects/@-!/settings/api-keys",
            "GET /api/v1/@/% 200 12ms",
            "https://docs.example.com/@/tokens?page=!&sort=created",
        ]);
        let text = text.replace('@', word(draw)).replace('!', &number.to_string()).replace('%', &id);
        if text.ends_with('-') { format!("{text}{}", hex(draw, 64)) } else { text }
    }),
    ("addresses with a user", |draw| {
        let text = draw.pick(&[
            "postgres://localhost:5432/@",
            "postgres://app@db:5432/@",
            "git@github.com:acme/@.git",
            "redis://cache:6379/0?db=@",
            "postgres://USER:PASSWORD@HOST:5432/@",
            "ssh://git@example.com:2222/@.git",
            "mongodb://<username>:<password>@@.example.com/app",
        ]);
        let place = text.rfind('@').unwrap_or(0);
        format!("{}{}{}", &text[..place], word(draw), &text[place + 1..])
    }),
    ("versions", |draw| {
        format!(
            "{}@{}.{}.{}-beta.{}+build.{}",
            word(draw),
            draw.below(20),
            draw.below(20),
            draw.below(20),
            draw.below(9),
            hex(draw, 7)
        )
    }),
    ("numbers and dates", |draw| {
        format!(
            "id={} created=2026-0{}-1{}T08:{}:00Z ts=17{} size={}",
            draw.below(9_999_999),
            1 + draw.below(9),
            draw.below(9),
            10 + draw.below(49),
            draw.from("0123456789", 11),
            draw.below(999_999)
        )
    }),
    ("images", |draw| {
        format!(
            "<img src=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{}=\" alt=\"{}\">",
            draw.from(BASE64, 180),
            word(draw)
        )
    }),
    ("source map", |draw| {
        format!(
            "{{\"version\":3,\"file\":\"{}.js\",\"mappings\":\"AAAA,SAAS{},CAAC\"}}",
            word(draw),
            draw.from("ACEGIKMOQS,;", 90)
        )
    }),
    ("minified", |draw| {
        let name = draw.from("abcdfghijklmopqsuvwxyz", 1);
        format!(
            "!function({name},t){{var n={name}.token,r=t.key||{name}.key;return n?r:{name}.{}({})}}(e,{});",
            camel(draw),
            draw.below(99),
            draw.below(9)
        )
    }),
    ("pods", |draw| {
        format!(
            "{}-{}-{}-{}   1/1   Running   0   {}d",
            word(draw),
            word(draw),
            draw.from("bcdfghjklmnpqrstvwxz2456789", 10),
            draw.from("bcdfghjklmnpqrstvwxz2456789", 5),
            draw.below(90)
        )
    }),
    ("traces", |draw| {
        format!(
            "traceparent: 00-{}-{}-01 trace_id={} span_id={}",
            hex(draw, 32),
            hex(draw, 16),
            hex(draw, 32),
            hex(draw, 16)
        )
    }),
    ("ids of a service", |draw| {
        let template = draw.pick(&[
            "cus_{A14}",
            "price_1{A23}",
            "evt_1{A23}",
            "req_{A24}",
            "chatcmpl-{A29}",
            "msg_01{A22}",
            "toolu_01{A22}",
            "prj_{A28}",
            "run-{A16}",
            "01{q24}",
        ]);
        format!("\"id\": \"{}\", \"object\": \"{}\"", draw.fill(template), word(draw))
    }),
    ("arns and cloud ids", |draw| {
        let template = draw.pick(&[
            "arn:aws:iam::{d12}:role/deploy",
            "arn:aws:kms:eu-west-1:{d12}:key/{U}",
            "arn:aws:secretsmanager:eu-west-1:{d12}:secret:prod/db-{L6}",
            "vpc-0{h16}",
            "ami-0{h16}",
            "/subscriptions/{U}/resourceGroups/prod",
        ]);
        format!("  {} = \"{}\"", word(draw), draw.fill(template))
    }),
    ("regexes", |draw| {
        let text = draw.pick(&[
            r"const TOKEN_RE = /^gh[pousr]_[A-Za-z0-9]{36,}$/;",
            r#"password_pattern = re.compile(r"^(?=.*\d)(?=.*[a-z]).{8,}$")"#,
            r"(?i)(api[_-]?key|token|secret)\s*[:=]\s*\S+",
            r"rg -n 'password\s*=' src/",
            r#"grep -rE "AKIA[0-9A-Z]{16}" ."#,
        ]);
        format!("{text} # {}", word(draw))
    }),
    ("imports", |draw| {
        let text = draw.pick(&[
            "import { TokenService } from './@/token.service';",
            "from app.@.secrets import SecretStore",
            "use crate::@::password::PasswordHash;",
            "const jwt = require('jsonwebtoken'); // @",
            "import \"github.com/acme/@/secrets\"",
        ]);
        format!("{}\n{}", text.replace('@', word(draw)), camel(draw))
    }),
    ("design tokens", |draw| {
        format!(
            "--token-color-{}: #{};\n  --{}-key: var(--token-{});",
            word(draw),
            hex(draw, 6),
            word(draw),
            word(draw)
        )
    }),
    ("help of a command", |draw| {
        let text = draw.pick(&[
            "  -p, --password <PASSWORD>    Password of the @",
            "      --token string           API token for @ (env: API_TOKEN)",
            "  --api-key KEY   key of the @ account",
            "usage: @ login [--username USER] [--password PASSWORD]",
            "      --secret-id value   name of the @ secret",
        ]);
        format!("{}\n  -v, --verbose  {}", text.replace('@', word(draw)), word(draw))
    }),
    ("listed directory", |draw| {
        format!(
            "-rw-r--r-- 1 dev dev {} Mar  4 10:{} {}_token.rs",
            draw.below(90_000),
            10 + draw.below(49),
            word(draw)
        )
    }),
    ("notebook and build ids", |draw| {
        format!(
            "{{\"cell_type\":\"code\",\"id\":\"{}\",\"buildId\":\"{}\"}}",
            hex(draw, 8),
            draw.fill("{A21}")
        )
    }),
    ("hash in target", |draw| {
        format!("     Running unittests src/lib.rs (target/debug/deps/{}-{})", word(draw), hex(draw, 16))
    }),
];
