//! The sixth part: what only looks like secrets.

use crate::draw::BASE64;
use crate::harmless::{Kind, camel, hex, word};

/// What only looks like secrets.
pub(super) const HARMLESS: [Kind; 48] = [
    ("log of git", |draw| {
        format!("* {} (tag: v1.{}.0) refresh the {} token earlier", hex(draw, 7), draw.below(40), word(draw))
    }),
    ("rev-parse", |draw| format!("$ git rev-parse HEAD\n{}", hex(draw, 40))),
    ("diff", |draw| {
        let name = word(draw);
        format!("diff --git a/src/{name}.rs b/src/{name}.rs\nindex {}..{} 100644", hex(draw, 7), hex(draw, 7))
    }),
    ("package-lock", |draw| {
        format!("      \"integrity\": \"sha512-{}==\",\n      \"license\": \"MIT\"", draw.from(BASE64, 86))
    }),
    ("yarn", |draw| {
        let name = word(draw);
        format!(
            "  resolved \"https://registry.yarnpkg.com/{name}/-/{name}-2.{}.1.tgz#{}\"\n  integrity sha512-{}==",
            draw.below(30),
            hex(draw, 40),
            draw.from(BASE64, 86)
        )
    }),
    ("go.sum", |draw| {
        format!("golang.org/x/{} v0.{}.0/go.mod h1:{}=", word(draw), draw.below(40), draw.from(BASE64, 43))
    }),
    ("images", |draw| {
        format!("image: ghcr.io/acme/{}@sha256:{}\nid: {}", word(draw), hex(draw, 64), hex(draw, 12))
    }),
    ("etag", |draw| {
        format!("ETag: \"{}\"\nCache-Control: public, max-age={}", hex(draw, 32), draw.below(99_999))
    }),
    ("assets of vite", |draw| {
        format!(
            "dist/assets/{}-{}.js   {}.{} kB │ gzip: {}.10 kB",
            word(draw),
            draw.fill("{A8}"),
            draw.below(900),
            draw.below(99),
            draw.below(300)
        )
    }),
    ("assets of webpack", |draw| {
        format!(
            "<link href=\"/static/css/main.{}.chunk.css\" rel=\"stylesheet\"><script src=\"/{}.{}.js\">",
            hex(draw, 8),
            word(draw),
            hex(draw, 20)
        )
    }),
    ("picture", |draw| {
        format!(
            "background: url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAA{}==)",
            draw.from(BASE64, 90)
        )
    }),
    ("fingerprint", |draw| format!("256 SHA256:{} dev@{} (ED25519)", draw.from(BASE64, 43), word(draw))),
    ("public key of ssh", |draw| {
        format!("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC{} dev@{}", draw.from(BASE64, 300), word(draw))
    }),
    ("known hosts", |draw| {
        format!(
            "|1|{}=|{}= ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{}",
            draw.from(BASE64, 27),
            draw.from(BASE64, 27),
            draw.from(BASE64, 43)
        )
    }),
    ("public key", |draw| {
        format!(
            "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE{}\n{}==\n-----END PUBLIC KEY-----",
            draw.from(BASE64, 28),
            draw.from(BASE64, 58)
        )
    }),
    ("peer of wireguard", |draw| {
        format!(
            "[Peer]\nPublicKey = {}=\nAllowedIPs = 10.{}.0.0/24\nEndpoint = vpn.corp.tld:51820",
            draw.from(BASE64, 43),
            draw.below(250)
        )
    }),
    ("sha256sum", |draw| format!("{}  dist/{}-0.{}.tar.gz", hex(draw, 64), word(draw), draw.below(99))),
    ("md5", |draw| format!("MD5 ({}.iso) = {}", word(draw), hex(draw, 32))),
    ("ids of a request", |draw| {
        format!("request_id={} trace_id={} span_id={} status=200", draw.uuid(), hex(draw, 32), hex(draw, 16))
    }),
    ("names at amazon", |draw| {
        format!(
            "arn:aws:iam::{}:role/{}-deploy arn:aws:secretsmanager:eu-central-1:{}:secret:prod/{}",
            draw.fill("{d12}"),
            word(draw),
            draw.fill("{d12}"),
            word(draw)
        )
    }),
    ("ids at amazon", |draw| {
        format!(
            "aws_instance.{}: Creation complete after {}s [id=i-0{}] subnet-0{}",
            word(draw),
            draw.below(90),
            hex(draw, 16),
            hex(draw, 16)
        )
    }),
    ("pods", |draw| {
        format!(
            "{}-api-{}-{}   1/1   Running   {}   3d",
            word(draw),
            draw.from("bcdf2456789", 10),
            draw.from("bcdfghjklmnpqrstvwxz2456789", 5),
            draw.below(9)
        )
    }),
    ("plain ids", |draw| {
        format!(
            "{{\"id\":\"{}\",\"parent_id\":\"01J{}\",\"kind\":\"{}\"}}",
            draw.fill("{A21}"),
            draw.from("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 23),
            word(draw)
        )
    }),
    ("chain", |draw| {
        format!(
            "{{\"to\": \"0x{}\", \"hash\": \"0x{}\", \"blockNumber\": {}}}",
            hex(draw, 40),
            hex(draw, 64),
            draw.below(9_999_999)
        )
    }),
    ("settings to fill in", |draw| {
        let name = word(draw).to_uppercase();
        format!(
            "{name}_API_KEY=<your-api-key>\n{name}_SECRET=changeme\nDB_PASSWORD=xxxxxxxx\n{name}_TOKEN=***"
        )
    }),
    ("from the environment", |draw| {
        let name = word(draw).to_uppercase();
        format!(
            "const c = new Client({{ apiKey: process.env.{name}_API_KEY, secret: process.env['{name}_SECRET'] }});"
        )
    }),
    ("from the environment of python", |draw| {
        let name = word(draw).to_uppercase();
        format!("TOKEN = os.environ[\"{name}_TOKEN\"]\npassword = os.getenv(\"{name}_PASSWORD\", \"\")")
    }),
    ("variables of a shell", |draw| {
        format!(
            "curl -u \"$USER:$PASS\" -H \"Authorization: Bearer ${{TOKEN}}\" https://{}.corp.tld/v{}",
            word(draw),
            draw.below(9)
        )
    }),
    ("demanded variables", |draw| {
        format!(
            "export {}_PASSWORD=\"${{DB_PASSWORD:?not set}}\"; PGPASSWORD=\"$DB_PASSWORD\" psql -h {}",
            word(draw).to_uppercase(),
            word(draw)
        )
    }),
    ("examples of amazon", |draw| {
        let name = word(draw);
        let keys = "aws_access_key_id = AK|IAIOSFODNN7EXAMPLE\naws_secret_access_key = wJalrXUtn|FEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
        format!("[{name}]\n{}", draw.fill(keys))
    }),
    ("functions", |draw| {
        format!(
            "def verify_{}_password(plain_password: str, hashed_password: str) -> bool:\n    return pwd.verify(plain_password, hashed_password)",
            word(draw)
        )
    }),
    ("absence", |draw| {
        format!(
            "if password is None or token == \"\":\n    raise ValueError(\"{} needs a password\")",
            word(draw)
        )
    }),
    ("translations", |draw| {
        format!(
            "\"password.too_short\": \"Password must have at least {} characters\", \"token.expired\": \"Your {} token has expired\"",
            6 + draw.below(20),
            word(draw)
        )
    }),
    ("types", |draw| {
        format!(
            "type {}Credentials = {{ password: string; token?: string | null; apiKey: ApiKey; secret: Buffer }};",
            camel(draw)
        )
    }),
    ("counts of tokens", |draw| {
        format!(
            "used {} tokens (prompt: {}, completion: {}); token budget: {}; max_tokens={}",
            draw.below(99_999),
            draw.below(99_999),
            draw.below(9_999),
            draw.below(99_999),
            draw.below(9_999)
        )
    }),
    ("names in settings", |draw| {
        format!(
            "api_key_header = \"X-API-Key\"\npassword_hash_algorithm = \"argon2id\"\nauth_token_ttl = {}\nsecret_name = \"prod/{}\"",
            draw.below(9_999),
            word(draw)
        )
    }),
    ("keys of tables", |draw| {
        format!(
            "primary key: id; sort_key=created_at; partition_key = \"{}_id\"; foreign_key: {}.id",
            word(draw),
            word(draw)
        )
    }),
    ("small code", |draw| {
        format!(
            "function {}(e,n){{var r=e.key,o=n[r]||{{}};return o.token?o.token(e):u(r,{})}}",
            draw.fill("{L2}"),
            draw.below(999)
        )
    }),
    ("trace of java", |draw| {
        format!(
            "\tat com.acme.{}.TokenFilter.{}(TokenFilter.java:{}) ~[{}-1.2.jar:na]",
            word(draw),
            camel(draw),
            draw.below(900),
            word(draw)
        )
    }),
    ("log of sshd", |draw| {
        format!(
            "sshd[{}]: Failed password for invalid user {} from 10.0.{}.7 port {} ssh2",
            draw.below(9_999),
            word(draw),
            draw.below(250),
            draw.below(60_000)
        )
    }),
    ("help", |draw| {
        format!(
            "  -p, --password <PASSWORD>  Password for the {} [env: {}_PASSWORD=]\n      --token-file <PATH>    Where the token is read from",
            word(draw),
            word(draw).to_uppercase()
        )
    }),
    ("patterns", |draw| {
        format!(
            "const {}PasswordRule = /^(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d]{{{},}}$/; const TOKEN_RE = /^gh[pousr]_[A-Za-z0-9]{{36}}$/;",
            word(draw),
            8 + draw.below(9)
        )
    }),
    ("versions", |draw| {
        format!(
            "\"jsonwebtoken\": \"^9.{}.2\", \"bcrypt\": \"~5.{}.0\", \"@acme/{}-token\": \">=1.2 <{}\"",
            draw.below(9),
            draw.below(9),
            word(draw),
            2 + draw.below(9)
        )
    }),
    ("german", |draw| {
        format!(
            "Das Passwort für „{}“ muss mindestens {} Zeichen haben, der Schlüssel läuft nach {} Tagen ab.",
            word(draw),
            6 + draw.below(20),
            draw.below(90)
        )
    }),
    ("queries", |draw| {
        format!(
            "SELECT id, token_hash, password_changed_at FROM {}_sessions WHERE user_id = $1 AND expires_at > now() LIMIT {}",
            word(draw),
            draw.below(99)
        )
    }),
    ("remote reference", |draw| {
        format!(
            "remoteRef:\n  key: prod/{}/db\n  property: password\nsecretStoreRef:\n  name: {}-vault",
            word(draw),
            word(draw)
        )
    }),
    ("addresses of pages", |draw| {
        format!(
            "https://github.com/acme/{}/commit/{} https://cdn.corp.tld/{}/{}.png",
            word(draw),
            hex(draw, 40),
            draw.uuid(),
            word(draw)
        )
    }),
    ("talk", |draw| {
        format!(
            "Our secret santa list is in the {} doc; the key: value pairs there name {} people, and the keyboard goes to Ann.",
            word(draw),
            draw.below(90)
        )
    }),
];
