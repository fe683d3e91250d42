//! The everyday part, held back: what leaks most in practice, as it stands in sessions and settings.

use super::{Context, Part};

pub(crate) const PART: Part = Part {
    own_form: OWN_FORM,
    named: NAMED,
    whole: WHOLE,
    private_keys: PRIVATE_KEYS,
    unnamed_contexts: UNNAMED_CONTEXTS,
    named_contexts: NAMED_CONTEXTS,
    harmless: super::everyday_harmless::HARMLESS,
};

/// Known by their own form: kind, template.
const OWN_FORM: &[(&str, &str)] = &[
    ("github classic", "gh|p_{A36}"),
    ("github fine-grained", "github|_pat_11{u8}0{A11}_{A59}"),
    ("github oauth", "gh|o_{A36}"),
    ("github installation", "gh|s_{A36}"),
    ("gitlab personal", "gl|pat-{A20}"),
    ("gitlab personal, new", "gl|pat-{A27}.01.{l9}"),
    ("openai project", "sk|-proj-{A40}_{A33}T3Blbk|FJ{A40}-{A33}"),
    ("openai old", "sk|-{A20}T3Blbk|FJ{A20}"),
    ("anthropic", "sk|-ant-api03-{A40}-{A30}_{A21}AA"),
    ("deepseek", "sk|-{h32}"),
    ("openrouter", "sk|-or-v1-{h64}"),
    ("groq", "gs|k_{A52}"),
    ("hugging face", "hf|_{L34}"),
    ("google api", "AI|zaSy{A33}"),
    ("google api with signs", "AI|zaSy{A12}-{A9}_{A10}"),
    ("google client secret", "GOC|SPX-{A28}"),
    ("google access token", "ya|29.a0{A60}-{A60}_{A40}"),
    ("aws key id", "AK|IA{216}"),
    ("slack bot", "xo|xb-{d12}-{d13}-{A24}"),
    ("slack user", "xo|xp-{d12}-{d12}-{d13}-{h32}"),
    ("slack app", "xa|pp-1-A{u10}-{d13}-{h64}"),
    ("discord bot", "MT{A22}.G{A5}.{A38}"),
    ("telegram bot", "{d10}:AA|{A33}"),
    ("stripe live", "sk|_live_51{A97}"),
    ("stripe live, old", "sk|_live_{A24}"),
    ("stripe test", "sk|_test_51{A97}"),
    ("stripe webhook", "wh|sec_{A32}"),
    ("sendgrid", "S|G.{A22}.{A43}"),
    ("mailgun", "ke|y-{h32}"),
    ("mailchimp", "{h32}-u|s{d1}"),
    ("npm", "np|m_{A36}"),
    ("pypi", "py|pi-AgEIcHlwaS5vcmcC{A80}-{A60}"),
    ("docker hub", "dc|kr_pat_{A27}"),
    ("digitalocean", "do|p_v1_{h64}"),
    ("vault", "hv|s.{A90}"),
    ("terraform cloud", "{A14}.atlas|v1.{A60}"),
    ("databricks", "da|pi{h32}"),
    ("sentry user", "sn|tryu_{h64}"),
    ("new relic", "NR|AK-{u27}"),
    ("grafana", "gl|sa_{A32}_{h8}"),
    ("shopify", "sh|pat_{h32}"),
    ("supabase", "sb|p_{h40}"),
    ("jwt hs256", "ey|JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey|JzdWIiOiI{A80}fQ.{A43}"),
    (
        "jwt rs256",
        "ey|JhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjEifQ.ey|Jpc3MiOiJodHRwczovL{A180}.{A170}-{A170}",
    ),
    ("linear", "li|n_api_{A40}"),
    ("notion", "nt|n_{d11}{A35}"),
    ("figma", "fi|gd_{A40}"),
    ("atlassian", "AT|ATT3xFfGF0{A90}-{A80}={H8}"),
    ("azure client secret", "{A3}8|Q~{A34}"),
    ("resend", "r|e_{A8}_{A24}"),
];

/// Known by their names: kind, name, template.
const NAMED: &[(&str, &str, &str)] = &[
    ("database password, random", "db_password", "{A16}"),
    ("database password, human", "db_pass", "Falcon{d4}!"),
    ("database password, signs", "database_password", "{A4}#{A3}!{A4}%{d2}"),
    ("postgres password, small letters", "postgres_password", "{l20}"),
    ("mysql root password", "mysql_root_password", "r00t_{l6}{d2}"),
    ("mongo root password", "mongo_initdb_root_password", "{A24}"),
    ("redis password", "redis_password", "{h48}"),
    ("password, random", "password", "{A12}"),
    ("password, human", "password", "P@ssw0rd{d3}"),
    ("password, season", "password", "Autumn-{d4}"),
    ("password, letters only", "password", "{L14}"),
    ("admin password, human", "admin_password", "Letme1n{d2}!!"),
    ("admin password, phrase", "admin_password", "purple-tractor-{d2}-lamp"),
    ("user password", "user_password", "{A5}*{A4}+{d1}"),
    ("smtp pass", "smtp_pass", "{l16}"),
    ("mail password", "email_host_password", "{A9}^{A5}"),
    ("elastic password", "elastic_password", "{A8}-{A11}"),
    ("registry password", "docker_password", "{A6}_{A5}!{d2}"),
    ("ldap password", "ldap_bind_password", "Serv1ce.{A5}"),
    ("passphrase", "ssh_key_passphrase", "blue.kettle.{A4}.{d3}"),
    ("mssql password", "sa_password", "Str0ng!{A6}"),
    ("jwt secret, hex", "jwt_secret", "{h64}"),
    ("jwt secret, human", "jwt_secret", "my-sup3r-s3cret-{d4}-key"),
    ("jwt refresh secret", "jwt_refresh_secret", "{b43}="),
    ("session secret", "session_secret", "{A32}"),
    ("secret key base", "secret_key_base", "{h128}"),
    ("django secret key", "secret_key", "{l9}={l8}^{l7}+{l6}*{l8}@{l5}"),
    ("nextauth secret", "nextauth_secret", "{b43}="),
    ("encryption key", "encryption_key", "{h64}"),
    ("rails master key", "rails_master_key", "{h32}"),
    ("signing key", "signing_secret", "{h32}"),
    ("webhook secret", "webhook_secret", "{h40}"),
    ("client secret", "client_secret", "{A40}"),
    ("client secret, uuid", "keycloak_client_secret", "{U}"),
    ("github client secret", "github_client_secret", "{h40}"),
    ("facebook secret", "facebook_app_secret", "{h32}"),
    ("api key, hex", "api_key", "{h32}"),
    ("api key, mixed", "api_key", "{A40}"),
    ("api key, uuid", "heroku_api_key", "{U}"),
    ("api token", "api_token", "{A32}"),
    ("api secret", "api_secret", "{A48}"),
    ("access token", "access_token", "{A64}"),
    ("refresh token", "refresh_token", "{w80}"),
    ("auth token", "auth_token", "{h40}"),
    ("private token", "private_token", "{A20}"),
    ("aws secret", "aws_secret_access_key", "{b40}"),
    ("aws session", "aws_session_token", "IQoJb3Jp{b300}=="),
    ("minio secret", "s3_secret_key", "{A32}"),
    ("twilio", "twilio_auth_token", "{h32}"),
    ("datadog", "dd_api_key", "{h32}"),
    ("algolia", "algolia_admin_api_key", "{h32}"),
    ("cloudflare", "cloudflare_api_token", "{A22}-{A8}_{A8}"),
    ("okta", "okta_api_token", "00{A40}"),
    ("vercel", "vercel_token", "{A24}"),
    ("azure openai", "azure_openai_api_key", "{h32}"),
    ("cloudinary", "cloudinary_api_secret", "{A20}_{A6}"),
];

/// In place: kind, the text with `@` in the secret's place, template.
const WHOLE: &[(&str, &str, &str)] = &[
    ("postgres url", "DATABASE_URL=postgres://app:@@db.internal:5432/app_production", "{A16}"),
    (
        "postgres url, human",
        "DATABASE_URL=\"postgresql://postgres:@@localhost:5432/shop?schema=public\"",
        "Hello{d3}%21",
    ),
    (
        "postgres url in an error",
        "sqlalchemy.exc.OperationalError: could not connect to postgresql+asyncpg://svc:@@10.0.3.7/main",
        "{A18}",
    ),
    ("mongo url", "mongodb+srv://admin:@@cluster0.ab1cd.mongodb.net/?retryWrites=true&w=majority", "{A16}"),
    (
        "mongo url in code",
        "mongoose.connect('mongodb://root:@@mongo:27017/app?authSource=admin')",
        "{l10}{d2}",
    ),
    ("mysql url", "url = \"mysql://root:@@127.0.0.1:3306/wordpress\"", "{A9}!"),
    ("redis url", "REDIS_URL=redis://:@@cache.internal:6379/0", "{h32}"),
    ("redis url of a host", "\"redis\": \"rediss://default:@@eu1-proud-cat-31234.upstash.io:6379\"", "{A40}"),
    ("amqp url", "CELERY_BROKER_URL: amqp://worker:@@rabbitmq:5672//", "{A14}"),
    ("jdbc", "spring.datasource.url=jdbc:mysql://db:3306/app?user=app&password=@&useSSL=false", "{A14}"),
    (
        "ado connection",
        "\"Default\": \"Server=tcp:sql1.example.net,1433;Database=app;User Id=sa;Password=@;Encrypt=True\"",
        "{A8}!{A4}",
    ),
    (
        "libpq words",
        "dsn := \"host=localhost user=gorm password=@ dbname=gorm port=9920 sslmode=disable\"",
        "{A12}",
    ),
    (
        "azure storage",
        "DefaultEndpointsProtocol=https;AccountName=shopdata;AccountKey=@;EndpointSuffix=core.windows.net",
        "{b86}==",
    ),
    (
        "azure sas",
        "https://shopdata.blob.core.windows.net/b/a.zip?sp=r&se=2026-05-01T00:00:00Z&sv=2022-11-02&sig=@",
        "{A20}%2B{A20}%3D",
    ),
    ("git remote", "origin\thttps://oauth2:@@gitlab.example.com/team/app.git (fetch)", "{A26}"),
    (
        "git clone fails",
        "fatal: Authentication failed for 'https://deploy:@@git.example.com/app.git/'",
        "{h40}",
    ),
    ("proxy", "export HTTPS_PROXY=http://jdoe:@@proxy.corp.example:3128", "Spring{d4}"),
    ("slack webhook", "curl -X POST -d '{}' https://hooks.slack.com/services/@", "T{u10}/B{u10}/{A24}"),
    ("discord webhook", "https://discord.com/api/webhooks/1098765432109876543/@", "{A34}-{A33}"),
    ("curl user", "curl -u admin:@ https://jenkins.example.com/job/app/build", "{h34}"),
    (
        "curl user, human",
        "curl -s --user \"elastic:@\" http://localhost:9200/_cluster/health",
        "Sn0wman{d2}!",
    ),
    ("basic header", "Authorization: Basic @", "YWRtaW46{A23}="),
    ("basic in curl", "curl -H 'Authorization: Basic @' https://api.example.com/v1/jobs", "dXNlcjpw{A26}=="),
    ("bearer, opaque", "> authorization: Bearer @", "{A43}"),
    ("bearer in code", "headers: { Authorization: 'Bearer @', Accept: 'application/json' }", "{h64}"),
    ("api key header", "curl -H \"X-API-Key: @\" https://api.example.com/v1/me", "{A32}"),
    (
        "gitlab header",
        "curl --header \"PRIVATE-TOKEN: @\" https://gitlab.example.com/api/v4/projects",
        "{A20}",
    ),
    ("session cookie", "Cookie: theme=dark; sessionid=@; lang=de", "{l32}"),
    ("key in an address", "GET https://maps.example.com/geocode/json?address=Berlin&key=@ 403", "{A39}"),
    ("token in a form", "grant_type=refresh_token&client_id=web&refresh_token=@", "{A60}"),
    ("google refresh", "{\"type\": \"authorized_user\", \"refresh_token\": \"@\"}", "1|//0g{A40}-{A52}"),
    ("docker config", "{\"auths\": {\"https://index.docker.io/v1/\": {\"auth\": \"@\"}}}", "ZGVwbG95{A30}=="),
    (
        "kubernetes secret",
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  password: @",
        "cGFz{A15}=",
    ),
    (
        "kubernetes secret by json",
        "{\"kind\":\"Secret\",\"data\":{\"DB_PASSWORD\":\"@\",\"DB_USER\":\"YXBw\"}}",
        "U3Vt{A20}",
    ),
    ("npmrc", "//registry.npmjs.org/:_authToken=@", "{U}"),
    ("npmrc, old", "//npm.example.com/:_password=@\n//npm.example.com/:username=ci", "{A26}=="),
    ("netrc", "machine api.heroku.com login me password @", "{U}"),
    ("pypirc", "[pypi]\nusername = jdoe\npassword = @", "{A11}{d1}"),
    ("mysql command", "mysql -h db.internal -u root -p@ shop < dump.sql", "{A12}"),
    ("redis command", "redis-cli -h cache.internal -a @ ping", "{A20}"),
    ("ssh command", "sshpass -p '@' ssh deploy@10.0.0.4 uptime", "Tr0mb&ne${d2}"),
    ("docker login", "docker login -u jdoe -p @ registry.example.com", "{A14}"),
    ("sql", "ALTER USER app WITH PASSWORD '@';", "{A10}${d2}"),
    ("requests", "r = requests.get(url, auth=(\"jdoe\", \"@\"), timeout=10)", "{A10}{d1}"),
    ("mail settings", "auth: { user: process.env.MAIL_USER, pass: \"@\" },", "{l4} {l4} {l4} {l4}"),
    ("laravel", "APP_KEY=base64:@", "{b43}="),
    ("told in words", "use jdoe for staging, password is @", "Gr4ndma{d3}!"),
];

/// Private keys: kind, the text with `@` (on one line: `#`) in the place of their lines; `¦` is dropped.
const PRIVATE_KEYS: &[(&str, &str)] = &[
    ("rsa", "$ cat key.pem\n-----BEGIN RSA PRI¦VATE KEY-----\n@\n-----END RSA PRI¦VATE KEY-----\n$ "),
    (
        "openssh",
        "$ cat ~/.ssh/id_ed25519\n\
         -----BEGIN OPENSSH PRI¦VATE KEY-----\n@\n-----END OPENSSH PRI¦VATE KEY-----",
    ),
    (
        "service account",
        "{\n  \"type\": \"service_account\",\n  \
         \"private_key\": \"-----BEGIN PRI¦VATE KEY-----\\n#\\n-----END PRI¦VATE KEY-----\\n\",\n  \
         \"client_id\": \"app\"\n}",
    ),
    ("in .env", "PRIVATE_KEY=\"-----BEGIN RSA PRI¦VATE KEY-----\\n#\\n-----END RSA PRI¦VATE KEY-----\\n\""),
    (
        "in yaml",
        "stringData:\n  tls.key: |\n    \
         -----BEGIN EC PRI¦VATE KEY-----\n    @\n    -----END EC PRI¦VATE KEY-----",
    ),
    ("cut off", "$ head -5 server.key\n-----BEGIN PRI¦VATE KEY-----\n@"),
];

/// Where what is known by its form stands.
const UNNAMED_CONTEXTS: &[Context] = &[
    ("variable", |name, secret| format!("{}={secret}", name.loud)),
    ("chat", |_, secret| format!("here is the one from the dashboard: {secret}, can you try again?")),
    ("log line", |_, secret| format!("2026-03-04T10:11:12.345Z  INFO [worker-3] starting with {secret}")),
    ("markdown", |_, secret| format!("Staging uses `{secret}` until Friday.")),
    ("bearer", |_, secret| {
        format!("curl -sS https://api.example.com/v1/me -H \"Authorization: Bearer {secret}\" | jq .")
    }),
    ("json", |name, secret| {
        format!("{{\"env\":\"prod\",\"{}\":\"{secret}\",\"retries\":3,\"region\":\"eu-west-1\"}}", name.camel)
    }),
    ("escaped json", |name, secret| format!("\"body\":\"{{\\\"{}\\\":\\\"{secret}\\\"}}\"", name.snake)),
    ("call", |_, secret| format!("const client = new Client('{secret}', {{ timeout: 5000 }});")),
    ("grep", |name, secret| format!("src/config/prod.ts:14:  {}: '{secret}',", name.camel)),
    ("diff", |name, secret| format!("@@ -1,3 +1,3 @@\n-{0}: \"\"\n+{0}: \"{secret}\"", name.kebab)),
    ("refused", |_, secret| {
        format!("Error: 401 Incorrect API key provided: {secret}. You can find yours in the settings.")
    }),
    ("piped", |_, secret| format!("echo {secret} | docker login ghcr.io -u bot --password-stdin")),
    ("clone", |_, secret| format!("git clone https://x-access-token:{secret}@github.com/acme/app.git")),
    ("flag", |name, secret| format!("$ acme deploy --{}={secret} --env prod", name.kebab)),
    ("list in yaml", |_, secret| format!("args:\n  - --region\n  - eu\n  - {secret}\n")),
    ("coloured", |_, secret| format!("\u{1b}[32m✔\u{1b}[0m created \u{1b}[1m{secret}\u{1b}[0m")),
    ("table", |_, secret| format!("| prod | {secret} | 2026-01-02 |")),
];

/// Where what is known by its name stands.
const NAMED_CONTEXTS: &[Context] = &[
    (".env", |name, secret| format!("NODE_ENV=production\n{}={secret}\nPORT=3000\n", name.loud)),
    (".env quoted", |name, secret| format!("{}=\"{secret}\"", name.loud)),
    ("export", |name, secret| format!("$ export {}='{secret}'", name.loud)),
    ("before a command", |name, secret| format!("{}={secret} npm run migrate", name.loud)),
    ("docker run", |name, secret| {
        format!("docker run -d --name app -e {}={secret} -p 8080:80 acme/app:1.2", name.loud)
    }),
    ("compose", |name, secret| {
        format!("services:\n  web:\n    image: acme/web\n    environment:\n      {}: {secret}\n", name.loud)
    }),
    ("compose list", |name, secret| {
        format!("    environment:\n      - {}={secret}\n      - TZ=UTC", name.loud)
    }),
    ("pod", |name, secret| format!("        - name: {}\n          value: \"{secret}\"", name.loud)),
    ("stringData", |name, secret| {
        format!("kind: Secret\nstringData:\n  {}: \"{secret}\"\ntype: Opaque", name.kebab)
    }),
    ("inspect", |name, secret| {
        format!(
            "        \"Env\": [\n            \"PATH=/usr/bin\",\n            \"{}={secret}\"\n        ],",
            name.loud
        )
    }),
    ("json", |name, secret| format!("{{\n  \"host\": \"10.0.0.5\",\n  \"{}\": \"{secret}\"\n}}", name.camel)),
    ("json on a line", |name, secret| {
        format!("{{\"id\":17,\"{}\":\"{secret}\",\"expires_in\":3600}}", name.snake)
    }),
    ("escaped json", |name, secret| {
        format!("{{\"payload\":\"{{\\\"{}\\\":\\\"{secret}\\\"}}\"}}", name.camel)
    }),
    ("yaml", |name, secret| format!("production:\n  adapter: x\n  {}: {secret}\n", name.snake)),
    ("toml", |name, secret| format!("[default]\n{} = \"{secret}\"\n", name.snake)),
    ("ini", |name, secret| format!("[main]\n{} = {secret}\n", name.snake)),
    ("properties", |name, secret| format!("app.{}={secret}", name.kebab)),
    ("tfvars", |name, secret| format!("region      = \"eu-central-1\"\n{}   = \"{secret}\"", name.snake)),
    ("javascript", |name, secret| format!("const {} = '{secret}';", name.loud)),
    ("object", |name, secret| format!("  const options = {{ retries: 2, {}: \"{secret}\" }};", name.camel)),
    ("python", |name, secret| format!("{} = os.getenv(\"{0}\", \"{secret}\")", name.loud)),
    ("python argument", |name, secret| format!("client = Client(host=HOST, {}=\"{secret}\")", name.snake)),
    ("java", |name, secret| format!("    private static final String {} = \"{secret}\";", name.loud)),
    ("go", |name, secret| format!("\t{} := \"{secret}\"", name.camel)),
    ("diff", |name, secret| format!("-{0}=\n+{0}={secret}", name.loud)),
    ("ci log", |name, secret| {
        format!("2026-03-04T10:11:12.3456789Z env:\n2026-03-04T10:11:12.3456790Z   {}: {secret}", name.loud)
    }),
    ("flag", |name, secret| format!("./bin/server --port 80 --{} {secret} --verbose", name.kebab)),
    ("flag with a sign", |name, secret| {
        format!("helm upgrade app ./chart --set auth.{}={secret}", name.camel)
    }),
    ("literal", |name, secret| {
        format!("kubectl create secret generic app --from-literal={}={secret}", name.kebab)
    }),
    ("dockerfile", |name, secret| format!("FROM node:22\nENV {}={secret}\nRUN npm ci", name.loud)),
    ("dump of python", |name, secret| {
        format!("{{'debug': True, '{}': '{secret}', 'port': 5432}}", name.snake)
    }),
    ("powershell", |name, secret| format!("PS C:\\app> $env:{} = \"{secret}\"", name.loud)),
];
