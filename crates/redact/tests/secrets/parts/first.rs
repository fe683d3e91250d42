//! The first part on which the rules were tuned.

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
const OWN_FORM: [(&str, &str); 86] = [
    ("github pat", "gh|p_{A36}"),
    ("github oauth", "gh|o_{A36}"),
    ("github server", "gh|s_{A36}"),
    ("github refresh", "gh|r_{A36}"),
    ("github fine-grained", "github|_pat_{A22}_{A59}"),
    ("gitlab pat", "gl|pat-{A20}"),
    ("gitlab deploy", "gl|dt-{A20}"),
    ("gitlab runner", "gl|rt-{A20}"),
    ("gitlab trigger", "gl|ptt-{h40}"),
    ("gitlab job", "gl|cbt-64_{A20}"),
    ("anthropic", "sk-|ant-api03-{A93}AA"),
    ("anthropic oauth", "sk-|ant-oat01-{A86}"),
    ("anthropic admin", "sk-|ant-admin01-{A93}AA"),
    ("openai", "sk|-{A20}T3|BlbkFJ{A20}"),
    ("openai project", "sk|-proj-{A74}T3|BlbkFJ{A74}"),
    ("openai service", "sk|-svcacct-{A60}"),
    ("openai-like", "sk|-{h32}"),
    ("openrouter", "sk|-or-v1-{h64}"),
    ("groq", "gs|k_{A52}"),
    ("huggingface", "hf|_{L34}"),
    ("huggingface mixed", "hf|_{A34}"),
    ("replicate", "r8|_{A37}"),
    ("perplexity", "pplx|-{A48}"),
    ("aws key id", "AK|IA{216}"),
    ("aws temporary", "AS|IA{216}"),
    ("gcp api key", "AI|za{A35}"),
    ("google oauth", "ya29|.a0Af{A80}"),
    ("google client secret", "GOC|SPX-{A28}"),
    ("azure ad", "{A3}8|Q~{A34}"),
    ("digitalocean", "dop|_v1_{h64}"),
    ("digitalocean oauth", "doo|_v1_{h64}"),
    ("databricks", "dap|i{h32}"),
    ("doppler", "dp.|pt.{A43}"),
    ("dynatrace", "dt0|c01.{u24}.{u64}"),
    ("slack bot", "xox|b-{d12}-{d12}-{A24}"),
    ("slack user", "xox|p-{d12}-{d12}-{d12}-{h32}"),
    ("slack app", "xap|p-1-A{u10}-{d13}-{h64}"),
    ("slack webhook", "https://hooks.slack|.com/services/T{u8}/B{u10}/{A24}"),
    ("discord webhook", "https://discord|.com/api/webhooks/{d18}/{A68}"),
    ("telegram", "{d10}:A|A{A33}"),
    ("stripe live", "sk|_live_{A24}"),
    ("stripe restricted", "rk|_live_{A24}"),
    ("stripe test", "sk|_test_{A24}"),
    ("stripe webhook", "whs|ec_{A32}"),
    ("sendgrid", "S|G.{A22}.{A43}"),
    ("twilio", "S|K{h32}"),
    ("mailgun", "key|-{h32}"),
    ("sendinblue", "xkey|sib-{h64}-{A16}"),
    ("npm", "np|m_{A36}"),
    ("pypi", "py|pi-AgEIcHlwaS5vcmc{A60}"),
    ("rubygems", "ruby|gems_{h48}"),
    ("docker", "dckr|_pat_{A27}"),
    ("hashicorp vault", "hv|s.{A96}"),
    ("hashicorp vault batch", "hv|b.{A140}"),
    ("terraform cloud", "{A14}.atla|sv1.{A64}"),
    ("pulumi", "pu|l-{h40}"),
    ("linear", "lin|_api_{A40}"),
    ("notion", "ntn|_{d11}{A35}"),
    ("figma", "fig|d_{A40}"),
    ("postman", "PM|AK-{h24}-{h34}"),
    ("shopify", "shp|at_{h32}"),
    ("shopify shared", "shp|ss_{h32}"),
    ("square", "sq0|atp-{A22}"),
    ("planetscale password", "pscale|_pw_{A43}"),
    ("planetscale token", "pscale|_tkn_{A43}"),
    ("grafana", "gls|a_{A32}_{h8}"),
    ("grafana cloud", "gl|c_{A60}"),
    ("new relic", "NR|AK-{u27}"),
    ("sentry user", "sntr|yu_{h64}"),
    ("age", "AGE-|SECRET-KEY-1{q58}"),
    ("1password", "A3|-{u6}-{u11}-{u5}-{u5}-{u5}"),
    ("atlassian", "ATA|TT3{A186}"),
    ("artifactory", "AK|Cp{A69}"),
    ("easypost", "EZ|AK{A54}"),
    ("duffel", "duffel|_live_{A43}"),
    ("frameio", "fio|-u-{A64}"),
    ("heroku", "HR|KU-AA{A58}"),
    ("infracost", "ic|o-{A32}"),
    ("prefect", "pn|u_{A36}"),
    ("readme", "rd|me_{l70}"),
    ("shippo", "shippo|_live_{h40}"),
    ("settlemint", "sm|_pat_{A16}"),
    ("openshift", "sha|256~{A43}"),
    ("maxmind", "{A6}_{A29}_m|mk"),
    ("alibaba", "LT|AI{A20}"),
    ("jwt", "ey|JhbGciOiJIUzI1NiJ9.ey|JzdWIiOiIxMjM0{A30}.{A43}"),
];

/// Known by their names: kind, name, template.
const NAMED: [(&str, &str, &str); 42] = [
    ("password with digit", "db_password", "hunter{d1}xy"),
    ("password mixed", "password", "Tr0ub{A6}&3"),
    ("password of words", "admin_password", "correct-horse-{d2}"),
    ("password digits", "user_password", "{d9}"),
    ("password random", "smtp_password", "{A16}"),
    ("password symbols", "root_password", "q!W{A4}@z"),
    ("passwd", "ftp_passwd", "{A12}"),
    ("passphrase", "ssh_passphrase", "{A18}"),
    ("pass", "db_pass", "{A11}9"),
    ("pwd", "mysql_pwd", "{A10}4"),
    ("token hex", "deploy_token", "{h40}"),
    ("token short hex", "api_token", "{h32}"),
    ("token uuid", "service_token", "{U}"),
    ("token alnum", "auth_token", "{A24}"),
    ("token long", "access_token", "{A120}"),
    ("token url-safe", "refresh_token", "{w44}"),
    ("token bearer-like", "bot_token", "{A24}.{A6}.{A27}"),
    ("secret hex", "client_secret", "{h64}"),
    ("secret alnum", "app_secret", "{A32}"),
    ("secret base64", "jwt_secret", "{b43}="),
    ("secret short", "webhook_secret", "{A12}7"),
    ("api key", "api_key", "{A32}"),
    ("api key hex", "apikey", "{h32}"),
    ("api key uuid", "x_api_key", "{U}"),
    ("aws secret", "aws_secret_access_key", "{b40}"),
    ("aws session", "aws_session_token", "{b200}"),
    ("azure account key", "account_key", "{b86}=="),
    ("azure shared access", "shared_access_key", "{b43}="),
    ("private key hex", "private_key", "0x{h64}"),
    ("signing key", "signing_key", "{b43}="),
    ("encryption key", "encryption_key", "{h64}"),
    ("master key", "master_key", "{h32}"),
    ("app key laravel", "app_key", "base64:{b43}="),
    ("license key", "license_key", "{u5}-{u5}-{u5}-{u5}"),
    ("credentials", "service_credentials", "{A40}"),
    ("npm auth", "npm_auth_token", "{U}"),
    ("datadog", "datadog_api_key", "{h32}"),
    ("cloudflare", "cloudflare_api_token", "{A40}"),
    ("heroku", "heroku_api_key", "{U}"),
    ("circleci", "circle_token", "{h40}"),
    ("sonar", "sonar_token", "{h40}"),
    ("vault legacy", "vault_token", "s.{A24}"),
];

/// In place: kind, the text with `@` in the secret's place, template.
const WHOLE: [(&str, &str, &str); 54] = [
    ("postgres", "postgres://app:@@db.internal:5432/main", "{A14}"),
    ("postgres weak", "DATABASE_URL=postgresql://app:@@10.0.0.5/main?sslmode=require", "hunter{d2}"),
    ("mysql", "mysql://root:@@localhost/app", "{A12}"),
    ("mongodb", "mongodb+srv://svc:@@cluster0.ab1cd.mongodb.net/prod?retryWrites=true", "{A16}"),
    ("redis", "redis://:@@cache.internal:6379/0", "{A20}"),
    ("amqp", "amqps://svc:@@mq.internal:5671/vhost", "{A15}"),
    ("git remote", "origin\thttps://oauth2:@@git.host.tld/team/app.git (fetch)", "{A20}"),
    ("git remote token", "git clone https://@@git.host.tld/team/app.git", "{A40}"),
    ("ftp", "ftp://me:@@files.host.tld/in", "{A9}1"),
    ("smtp", "SMTP_URL=smtps://mailer:@@mail.host.tld:465", "{A13}"),
    ("password with slash", "postgres://app:ab/@@db.internal/x", "{A14}"),
    ("ado", "Server=db;Database=app;User Id=sa;Password=@;Encrypt=true", "{A10}!3"),
    ("jdbc", "jdbc:postgresql://db/app?user=app&password=@&ssl=true", "{A12}"),
    (
        "azure storage",
        "DefaultEndpointsProtocol=https;AccountName=acc;AccountKey=@;EndpointSuffix=core.windows.net",
        "{b86}==",
    ),
    (
        "service bus",
        "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=@",
        "{b43}=",
    ),
    ("sas", "https://acc.blob.core.windows.net/c/b?sv=2022-11-02&sp=r&sig=@&se=2026", "{A40}%2B{A3}%3D"),
    (
        "s3 presigned",
        "https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=@",
        "{h64}",
    ),
    ("maps", "https://maps.host.tld/js?key=@&v=3", "{A39}"),
    ("authorization bearer", "curl -H \"Authorization: Bearer @\" https://api.host.tld", "{A40}"),
    ("authorization basic", "Authorization: Basic @", "{b24}"),
    ("authorization token", "curl -H 'Authorization: token @' https://api.host.tld", "{h40}"),
    ("authorization json", "{\"headers\": {\"Authorization\": \"Bearer @\"}}", "{A64}"),
    ("authorization bare", "> authorization: @", "{A40}"),
    ("bearer in code", "headers['x'] = 'Bearer @'", "{A36}"),
    ("private-token", "curl --header \"PRIVATE-TOKEN: @\" https://git.host.tld/api/v4", "{A20}"),
    ("x-vault-token", "-H 'X-Vault-Token: @'", "s.{A24}"),
    ("cookie", "Cookie: theme=dark; sessionid=@; lang=en", "{l32}"),
    ("set-cookie", "< Set-Cookie: connect.sid=@; Path=/; HttpOnly", "s%3A{A32}.{A43}"),
    ("curl user", "curl -u admin:@ https://api.host.tld/x", "{A10}3"),
    ("curl user long", "curl --user 'svc:@' https://api.host.tld/x", "{A8}!9"),
    ("sshpass", "sshpass -p '@' ssh root@host", "{A9}2"),
    ("mysql flag", "mysql -u root -p@ app < dump.sql", "{A9}2"),
    ("mysql quoted", "mysql -uroot -p'@' -e 'select 1'", "{A9}2"),
    ("redis-cli", "redis-cli -h cache -a @ ping", "{A18}"),
    ("docker login", "docker login -u me -p @ registry.host.tld", "{A18}"),
    ("pgpassword", "PGPASSWORD=@ psql -h db -U app", "{A9}2"),
    ("netrc", "machine api.host.tld login me password @", "{A20}"),
    ("netrc lines", "machine git.host.tld\n  login me\n  password @\n", "{A20}"),
    ("npmrc", "//registry.npmjs.org/:_authToken=@", "{U}"),
    ("npmrc auth", "//registry.host.tld/:_auth=@", "{b32}"),
    ("docker config", "{\"auths\":{\"https://index.docker.io/v1/\":{\"auth\":\"@\"}}}", "{b28}"),
    ("kubeconfig token", "users:\n- name: admin\n  user:\n    token: @\n", "{A80}"),
    ("kubernetes secret", "kind: Secret\ndata:\n  password: @\n", "{b24}"),
    ("aws file", "[default]\naws_access_key_id = x\naws_secret_access_key = @\nregion = us-east-1", "{b40}"),
    ("aws configure", "aws configure set aws_secret_access_key @", "{b40}"),
    ("sql user", "CREATE USER app IDENTIFIED BY '@';", "{A9}2"),
    ("sql role", "ALTER ROLE app WITH PASSWORD '@';", "{A9}2"),
    ("prose password", "the password is @ by the way", "hunter{d2}x"),
    ("java call", "new Client().password(\"@\").build()", "{A9}2"),
    ("environ", "os.environ[\"API_TOKEN\"] = \"@\"", "{A32}"),
    ("typed", "const token: string = \"@\";", "{A32}"),
    ("nuget", "<add key=\"ClearTextPassword\" value=\"@\" />", "{A12}5"),
    ("bcrypt", "admin:@:1000", "$2b$12${A53}"),
    (
        "seed phrase",
        "mnemonic: \"@\"",
        "apple river stone cloud paper tiger happy lemon ocean brick candle garden",
    ),
];

/// Private keys: kind, the text with `@` (on one line: `#`) in the place of their lines; `¦` is dropped.
const PRIVATE_KEYS: [(&str, &str); 10] = [
    ("rsa", "cat key.pem\n-----BEGIN RSA PRI¦VATE KEY-----\n@\n-----END RSA PRI¦VATE KEY-----\n"),
    ("ec", "-----BEGIN EC PRI¦VATE KEY-----\n@\n-----END EC PRI¦VATE KEY-----"),
    ("pkcs8", "-----BEGIN PRI¦VATE KEY-----\n@\n-----END PRI¦VATE KEY-----"),
    ("openssh", "-----BEGIN OPENSSH PRI¦VATE KEY-----\n@\n-----END OPENSSH PRI¦VATE KEY-----"),
    (
        "encrypted",
        "-----BEGIN RSA PRI¦VATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\n@\n-----END RSA PRI¦VATE KEY-----",
    ),
    (
        "pgp",
        "-----BEGIN PGP PRI¦VATE KEY BLOCK-----\nVersion: GnuPG v2\n\n@\n=abcd\n-----END PGP PRI¦VATE KEY BLOCK-----",
    ),
    ("in json", "{\"private_key\": \"-----BEGIN PRI¦VATE KEY-----\\n#\\n-----END PRI¦VATE KEY-----\\n\"}"),
    ("end is gone", "-----BEGIN RSA PRI¦VATE KEY-----\n@"),
    ("end is gone, prose", "-----BEGIN RSA PRI¦VATE KEY-----\n@\n\nand so on, as you see"),
    ("beginning is gone", "…\n@\n-----END RSA PRI¦VATE KEY-----"),
];

/// Where what is known by its form stands.
const UNNAMED_CONTEXTS: [Context; 12] = [
    ("bare", |_, secret| secret.to_owned()),
    ("prose", |_, secret| format!("I used {secret} for the upload and it worked.")),
    ("command", |_, secret| format!("fetch -H 'X-Thing: {secret}' https://api.host.tld/v1/items | jq .")),
    ("environment", |_, secret| format!("LANG=C.UTF-8\nTHING={secret}\nHOME=/home/dev\n")),
    ("json", |_, secret| format!("{{\"id\":7,\"thing\":\"{secret}\",\"ok\":true}}")),
    ("json in json", |_, secret| format!("{{\"text\":\"line\\n{secret}\\nnext \\\"{secret}\\\"\"}}")),
    ("yaml", |_, secret| format!("service:\n  thing: {secret}\n  port: 8080\n")),
    ("log", |_, secret| format!("2026-03-04T10:11:12Z WARN client: rejected value={secret}, retry in 3s")),
    ("url", |_, secret| format!("GET https://api.host.tld/v1/items?thing={secret}&page=2 403")),
    ("base64", |_, secret| format!("data: {}", base64(format!("thing={secret}\n").as_bytes()))),
    ("markdown", |_, secret| format!("- the value is `{secret}`, see below")),
    ("diff", |_, secret| format!("-const THING = \"\";\n+const THING = \"{secret}\";")),
];

/// Where what is known by its name stands.
const NAMED_CONTEXTS: [Context; 14] = [
    ("environment", |name, secret| format!("LANG=C\n{}={secret}\nHOME=/home/dev\n", name.loud)),
    ("export", |name, secret| format!("export {}=\"{secret}\" && make deploy", name.loud)),
    ("command", |name, secret| format!("deployer push --{} {secret} --verbose", name.kebab)),
    ("command with =", |name, secret| format!("deployer push --{}={secret} --verbose", name.kebab)),
    ("json", |name, secret| format!("{{\"id\": 7, \"{}\": \"{secret}\", \"ok\": true}}", name.camel)),
    ("json in json", |name, secret| format!("{{\"text\":\"{{\\\"{}\\\":\\\"{secret}\\\"}}\"}}", name.snake)),
    ("yaml", |name, secret| format!("service:\n  {}: \"{secret}\"\n  port: 8080\n", name.snake)),
    ("python", |name, secret| format!("client = Client()\n{} = '{secret}'\n", name.snake)),
    ("javascript", |name, secret| {
        format!("const client = make({{ {}: '{secret}', retries: 3 }});", name.camel)
    }),
    ("toml", |name, secret| format!("[service]\n{} = \"{secret}\"\n", name.snake)),
    ("php", |name, secret| format!("define('{}', '{secret}');", name.loud)),
    ("xml", |name, secret| format!("<config><{0}>{secret}</{0}></config>", name.camel)),
    ("docker", |name, secret| format!("docker run --rm -e {}={secret} -p 80:80 image:1", name.loud)),
    ("base64", |name, secret| format!("blob {}", base64(format!("{}={secret}\n", name.loud).as_bytes()))),
];

/// What only looks like secrets.
const HARMLESS: [Kind; 40] = [
    ("commit id", |draw| format!("commit {}\nAuthor: Dev <dev@host.tld>", hex(draw, 40))),
    ("short commit id", |draw| format!("{} {}: tidy the {}", hex(draw, 7), word(draw), word(draw))),
    ("sha256 commit", |draw| format!("HEAD is now at {}", hex(draw, 64))),
    ("uuid", |draw| format!("session {} began", draw.uuid())),
    ("npm integrity", |draw| format!("\"integrity\": \"sha512-{}==\"", draw.from(BASE64, 86))),
    ("cargo checksum", |draw| format!("name = \"{}\"\nchecksum = \"{}\"", word(draw), hex(draw, 64))),
    ("go.sum", |draw| {
        format!("github.com/x/{} v1.{}.0 h1:{}=", word(draw), draw.below(40), draw.from(BASE64, 43))
    }),
    ("docker digest", |draw| format!("FROM debian@sha256:{}", hex(draw, 64))),
    ("image id", |draw| format!("Successfully built {}", hex(draw, 12))),
    ("content hash", |draw| {
        format!(
            "dist/assets/index-{}.js  {} kB",
            draw.from("abcdefghijklmnopqrstuvwxyzABCDEFGH0123456789", 8),
            draw.below(900)
        )
    }),
    ("md5 sums", |draw| format!("{}  ./{}.tar.gz", hex(draw, 32), word(draw))),
    ("sha256 sums", |draw| format!("{}  {}-linux-x64.zip", hex(draw, 64), word(draw))),
    ("data uri", |draw| {
        format!("url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUg{})", draw.from(BASE64, 120))
    }),
    ("binary base64", |draw| {
        let bytes: Vec<u8> = (0..90).map(|_| u8::try_from(draw.below(256)).unwrap()).collect();
        format!("blob: {}", base64(&bytes))
    }),
    ("base64 of prose", |draw| {
        format!(
            "echo {} | base64 -d",
            base64(format!("hello {} and {}, how are you", word(draw), word(draw)).as_bytes())
        )
    }),
    ("client's ids", |draw| {
        format!(
            "{{\"id\":\"toolu_01{}\",\"message\":\"msg_01{}\",\"request\":\"req_011C{}\"}}",
            draw.fill("{A22}"),
            draw.fill("{A22}"),
            draw.fill("{A20}")
        )
    }),
    ("aws example", |draw| format!("aws_access_key_id = AKIAIOSFODNN7EXAMPLE # {}", word(draw))),
    ("placeholder", |draw| {
        let value = draw.pick(&[
            "<your-token>",
            "xxxxxxxxxxxx",
            "changeme",
            "your_api_key_here",
            "${TOKEN}",
            "$TOKEN",
            "REPLACE_ME",
            "***",
            "{{ token }}",
            "...",
            "TODO",
            "insert-key-here",
        ]);
        let name = draw.pick(&["API_TOKEN", "PASSWORD", "SECRET_KEY", "GITHUB_TOKEN", "DB_PASS"]);
        format!("{name}={value}")
    }),
    ("token in code", |draw| format!("let token = self.next_{}(&mut {});", word(draw), word(draw))),
    ("type of a field", |draw| {
        format!(
            "  {}Token: {};",
            word(draw),
            draw.pick(&["string", "Option<String>", "str | None", "&str", "Vec<u8>", "number"])
        )
    }),
    ("count of tokens", |draw| {
        format!(
            "max_tokens: {}, token_count={}, tokens per second: {}",
            draw.below(9_000),
            draw.below(200_000),
            draw.below(900)
        )
    }),
    ("name of a secret", |draw| {
        format!("secret_name: {}-credentials\nsecretKeyRef:\n  name: {}", word(draw), word(draw))
    }),
    ("variable to variable", |draw| {
        format!("PASSWORD=$PASSWORD TOKEN=\"${{{}_TOKEN}}\" make {}", word(draw).to_uppercase(), word(draw))
    }),
    ("keyword arguments", |draw| {
        format!("connect(user=user, password=password, token={}_token)", word(draw))
    }),
    ("environment read", |draw| {
        format!(
            "const apiKey = process.env.{}_API_KEY; token = os.environ['{}_TOKEN']",
            word(draw).to_uppercase(),
            word(draw).to_uppercase()
        )
    }),
    ("test output", |draw| {
        format!(
            "--- PASS: Test{}V2 (0.0{}s)\nok  \t{} 0.{}s",
            camel(draw),
            draw.below(9),
            word(draw),
            draw.below(999)
        )
    }),
    ("css", |draw| {
        format!(".{}-token {{ color: #{}; background: #{}; }}", word(draw), hex(draw, 6), hex(draw, 8))
    }),
    ("long identifier", |draw| {
        format!(
            "fn {}_{}_{}_is_kept_when_the_{}_is_gone() {{",
            word(draw),
            word(draw),
            word(draw),
            word(draw)
        )
    }),
    ("hex dump", |draw| {
        format!(
            "000000{}0  {} {} {} {}  |....{}|",
            draw.below(9),
            hex(draw, 4),
            hex(draw, 4),
            hex(draw, 4),
            hex(draw, 4),
            word(draw)
        )
    }),
    ("path with ids", |draw| {
        format!(
            "/home/dev/.cache/{}/{}/{}.{}",
            word(draw),
            draw.uuid(),
            hex(draw, 16),
            draw.pick(&["json", "rs", "lock", "bin"])
        )
    }),
    ("version", |draw| {
        format!(
            "{} v{}.{}.{}-beta.{}+build.{}",
            word(draw),
            draw.below(9),
            draw.below(40),
            draw.below(99),
            draw.below(9),
            hex(draw, 8)
        )
    }),
    ("address", |draw| {
        format!(
            "https://github.com/{}/{}/pull/{}#discussion_r{}",
            word(draw),
            word(draw),
            draw.below(9_000),
            draw.below(900_000_000)
        )
    }),
    ("address with port", |draw| {
        format!(
            "http://localhost:{}/api/{}?page={}&sort=key",
            1_000 + draw.below(9_000),
            word(draw),
            draw.below(50)
        )
    }),
    ("address example", |draw| {
        format!(
            "postgres://user:password@localhost:5432/{} and https://{}:${{TOKEN}}@host.tld/x",
            word(draw),
            word(draw)
        )
    }),
    ("minified code", |draw| {
        format!(
            "!function(e,t){{var n=t.{0},r=e.key||n.token;return r(\"{1}\",{2})}}(a,{{{0}:1}})",
            word(draw),
            word(draw),
            draw.below(99)
        )
    }),
    ("settings without secrets", |draw| {
        format!(
            "auth:\n  enabled: true\n  provider: {}\n  token_ttl: {}m\n  password_min_length: {}",
            word(draw),
            draw.below(90),
            draw.below(30)
        )
    }),
    ("prose", |draw| {
        format!(
            "The {} token expires after {} minutes, so the secret is read from the {} and the password is never logged.",
            word(draw),
            draw.below(90),
            word(draw)
        )
    }),
    ("error lines", |draw| {
        format!(
            "error[E0{}]: cannot find value `{}_key` in this scope --> src/{}.rs:{}:{}",
            100 + draw.below(700),
            word(draw),
            word(draw),
            draw.below(900),
            draw.below(80)
        )
    }),
    ("public key", |draw| {
        format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} dev@{}", draw.from(BASE64, 43), word(draw))
    }),
    ("certificate", |draw| {
        format!(
            "-----BEGIN CERTIFICATE-----\nMIID{}\n{}\n-----END CERTIFICATE-----",
            draw.from(BASE64, 60),
            draw.from(BASE64, 64)
        )
    }),
];
