//! The part that nobody looked at while the rules were tuned: how secrets stand in an agent's sessions.

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
const OWN_FORM: [(&str, &str); 20] = [
    ("github pat", "gh|p_{A36}"),
    ("github fine-grained", "github|_pat_{A22}_{A59}"),
    ("anthropic", "sk-|ant-api03-{A93}AA"),
    ("openai", "sk|-proj-{A74}T3|BlbkFJ{A74}"),
    ("aws", "AK|IA{216}"),
    ("google", "AI|za{A35}"),
    ("slack", "xox|b-{d12}-{d12}-{A24}"),
    ("stripe", "sk|_live_{A24}"),
    ("npm", "np|m_{A36}"),
    ("gitlab", "gl|pat-{A20}"),
    ("huggingface", "hf|_{A34}"),
    ("sendgrid", "S|G.{A22}.{A43}"),
    ("digitalocean", "dop|_v1_{h64}"),
    ("jwt", "ey|JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey|Jyb2xlIjoiYW5v{A40}.{A43}"),
    ("pypi", "py|pi-AgEIcHlwaS5vcmc{A90}"),
    ("terraform cloud", "{A14}.atla|sv1.{A67}"),
    ("vault", "hv|s.{A92}"),
    ("databricks", "dap|i{h32}"),
    ("mailgun", "key|-{h32}"),
    ("tailscale", "tsk|ey-client-{A10}-{A30}"),
];

/// Known by their names: kind, name, template.
const NAMED: [(&str, &str, &str); 22] = [
    ("password", "database_password", "{A14}"),
    ("password easy", "test_user_password", "Passw0rd{d2}!"),
    ("password of words", "admin_password", "blue-tractor-{d2}"),
    ("password digits", "pin_password", "{d8}"),
    ("password hex", "rabbitmq_password", "{h24}"),
    ("pass", "email_pass", "{l16}"),
    ("token hex", "github_token", "{h40}"),
    ("token", "vercel_token", "{A24}"),
    ("token long", "figma_token", "{d6}-{U}"),
    ("token", "telegram_bot_token", "{d10}:A|A{A33}"),
    ("secret", "nextauth_secret", "{b43}="),
    ("secret", "stripe_webhook_secret", "whs|ec_{A32}"),
    ("secret", "google_client_secret", "{A24}"),
    ("api key", "openweather_api_key", "{h32}"),
    ("api key", "pinecone_api_key", "{U}"),
    ("api key", "mistral_api_key", "{A32}"),
    ("key", "supabase_service_role_key", "{A100}"),
    ("key", "encryption_key", "{b44}"),
    ("key", "rails_master_key", "{h32}"),
    ("key", "secret_key_base", "{h128}"),
    ("credentials", "azure_credentials", "{A40}"),
    ("auth", "ngrok_authtoken", "{A27}_{A21}"),
];

/// In place: kind, the text with `@` in the secret's place, template.
const WHOLE: [(&str, &str, &str); 16] = [
    (
        "connection refused",
        "psycopg2.OperationalError: connection to \"postgresql://app:@@db:5432/app\" failed",
        "{A14}",
    ),
    ("prisma", "DATABASE_URL=\"mysql://root:@@127.0.0.1:3306/app?schema=public\"", "{A10}2"),
    ("mongoose", "mongoose.connect('mongodb://admin:@@mongo:27017/app?authSource=admin')", "{A12}3"),
    ("git push", "To https://x-access-token:@@github.com/team/app.git", "{A36}"),
    ("curl verbose", "> GET /v1 HTTP/2\n> authorization: Bearer @\n> accept: */*", "{A48}"),
    ("curl data", "curl -X POST https://h.tld/login -d '{\"user\":\"me\",\"password\":\"@\"}'", "{A10}5"),
    ("curl form", "curl https://h.tld/login --data 'user=me&password=@&next=/'", "{A10}5"),
    ("requests", "requests.get(url, headers={'Authorization': f'Bearer @'})", "{A40}"),
    ("requests auth", "requests.get(url, auth=HTTPBasicAuth('me', '@'), params={'password': '@'})", "{A12}6"),
    ("compose", "services:\n  db:\n    environment:\n      POSTGRES_PASSWORD: @\n", "{A13}4"),
    ("values", "--set postgresql.auth.password=@ --namespace x", "{A13}4"),
    ("gh", "gh secret set DEPLOY_TOKEN --body \"@\"", "{A36}"),
    ("wrangler", "echo @ | wrangler secret put API_TOKEN", "sk|_live_{A24}"),
    ("az", "az storage blob list --account-name a --account-key @", "{b86}=="),
    ("ssh config", "sshpass -p \"@\" rsync -a . me@h:/srv", "{A10}7"),
    ("psql", "PGPASSWORD='@' pg_dump -h db -U app app", "{A10}7"),
];

/// Private keys: kind, the text with `@` (on one line: `#`) in the place of their lines; `¦` is dropped.
const PRIVATE_KEYS: [(&str, &str); 2] = [
    ("read with numbers", "     1→-----BEGIN RSA PRI¦VATE KEY-----\n@\n-----END RSA PRI¦VATE KEY-----"),
    (
        "service account",
        "{\n  \"type\": \"service_account\",\n  \"private_key\": \"-----BEGIN PRI¦VATE KEY-----\\n#\\n-----END PRI¦VATE KEY-----\\n\",\n  \"client_id\": \"7\"\n}",
    ),
];

/// Where what is known by its form stands.
const UNNAMED_CONTEXTS: [Context; 8] = [
    ("read with numbers", |_, secret| format!("     3→THING={secret}\n     4→PORT=80")),
    ("grep", |_, secret| format!("config/.env:3:THING={secret}")),
    ("diff", |_, secret| format!("@@ -1,2 +1,2 @@\n-THING=\n+THING={secret}")),
    ("trace", |_, secret| format!("+ export THING={secret}\n+ THING={secret}\n+ ./deploy")),
    ("heredoc", |_, secret| format!("cat > .env <<'EOF'\nTHING={secret}\nEOF")),
    ("repr", |_, secret| format!("{{'thing': '{secret}', 'n': None}}")),
    ("error", |_, secret| {
        format!("Error: 401 Incorrect value provided: {secret}. You can find it in your account.")
    }),
    ("base64", |_, secret| format!("  .env: {}", base64(format!("A=1\nTHING={secret}\n").as_bytes()))),
];

/// Where what is known by its name stands.
const NAMED_CONTEXTS: [Context; 11] = [
    ("read with numbers", |name, secret| format!("     3→{}={secret}\n     4→PORT=80", name.loud)),
    ("grep", |name, secret| format!("config/app.py:12:    {} = \"{secret}\"", name.snake)),
    ("diff", |name, secret| format!("@@ -1,2 +1,2 @@\n-{0}=\n+{0}={secret}", name.loud)),
    ("trace", |name, secret| format!("+ export {}={secret}\n+ ./deploy", name.loud)),
    ("heredoc", |name, secret| format!("cat > .env <<'EOF'\n{}={secret}\nEOF", name.loud)),
    ("repr", |name, secret| format!("Settings({}='{secret}', debug=False)", name.snake)),
    ("console", |name, secret| format!("{{\n  {}: '{secret}',\n  port: 80\n}}", name.camel)),
    ("plan", |name, secret| format!("  + {} = \"{secret}\"\n  + port = 80", name.snake)),
    ("environment list", |name, secret| {
        format!("        - name: {}\n          value: {secret}\n", name.loud)
    }),
    ("asked", |name, secret| format!("Use this for now:\n{}: {secret}\n", name.loud)),
    ("base64", |name, secret| {
        format!("  .env: {}", base64(format!("A=1\n{}={secret}\n", name.loud).as_bytes()))
    }),
];

/// What only looks like secrets.
const HARMLESS: [Kind; 22] = [
    ("read with numbers", |draw| {
        format!(
            "    {}→    let token = {}.token();\n    {}→    key.push({});",
            draw.below(99),
            word(draw),
            draw.below(99),
            word(draw)
        )
    }),
    ("grep", |draw| format!("src/{}.rs:{}:    pub api_key: Option<String>,", word(draw), draw.below(900))),
    ("git log", |draw| {
        format!("{} (HEAD -> {}/{}) {}: rotate the secret", hex(draw, 9), word(draw), word(draw), word(draw))
    }),
    ("push", |draw| format!("   {}..{}  main -> main", hex(draw, 7), hex(draw, 7))),
    ("ls", |draw| {
        format!(
            "-rw-r--r-- 1 dev dev {} Mar  4 10:11 {}-{}.json",
            draw.below(99_999),
            word(draw),
            hex(draw, 12)
        )
    }),
    ("npm audit", |draw| {
        format!(
            "\"node_modules/{}\": {{\"resolved\": \"https://registry.npmjs.org/{}/-/{}-1.0.0.tgz\"}}",
            word(draw),
            word(draw),
            word(draw)
        )
    }),
    ("lock file", |draw| {
        format!(
            "source = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"{}\"",
            hex(draw, 64)
        )
    }),
    ("integrity", |draw| {
        format!("<script integrity=\"sha384-{}\" crossorigin=\"anonymous\">", draw.from(BASE64, 64))
    }),
    ("background task", |draw| format!("Command running in background with ID: b{}", hex(draw, 6))),
    ("agent's file", |draw| {
        format!("/tmp/claude-1000/-home-dev-{}/{}/tasks/b{}.output", word(draw), draw.uuid(), hex(draw, 7))
    }),
    ("usage", |draw| {
        format!(
            "\"usage\":{{\"input_tokens\":{},\"cache_creation_input_tokens\":{},\"service_tier\":\"standard\"}}",
            draw.below(99),
            draw.below(99_999)
        )
    }),
    ("env names", |draw| {
        format!(
            "required: {}_API_KEY, {}_TOKEN and DB_PASSWORD (see .env.example)",
            word(draw).to_uppercase(),
            word(draw).to_uppercase()
        )
    }),
    ("env example", |draw| {
        format!(
            "{}_API_KEY=your-{}-api-key\nJWT_SECRET=change-me-in-production\nDB_PASSWORD=",
            word(draw).to_uppercase(),
            word(draw)
        )
    }),
    ("fixture", |draw| {
        format!("const user = {{ name: '{}', password: 'password', token: 'test-token' }};", word(draw))
    }),
    ("mock", |draw| format!("mock.onPost('/login').reply(200, {{ token: 'fake-{}-token' }});", word(draw))),
    ("assertion", |draw| format!("expect(screen.getByLabelText('Password')).toHaveValue('{}')", word(draw))),
    ("clippy", |draw| {
        format!(
            "error: casting `u64` to `usize` may truncate\n  --> crates/{}/src/{}.rs:{}:{}",
            word(draw),
            word(draw),
            draw.below(900),
            draw.below(80)
        )
    }),
    ("stack", |draw| {
        format!(
            "    at {}.{} (webpack-internal:///(rsc)/./src/{}.ts:{}:{})",
            word(draw),
            camel(draw),
            word(draw),
            draw.below(900),
            draw.below(80)
        )
    }),
    ("test names", |draw| {
        format!("test auth::tests::an_expired_token_of_a_{}_is_refused ... ok", word(draw))
    }),
    ("prose", |draw| {
        format!(
            "I'll check how the {} handles the API key: it's passed as `apiKey` and never stored.",
            word(draw)
        )
    }),
    ("public ids", |draw| {
        format!(
            "NEXT_PUBLIC_GA_ID=G-{}\nAWS_REGION=eu-central-1\nS3_BUCKET={}-assets",
            draw.fill("{u10}"),
            word(draw)
        )
    }),
    ("migrations", |draw| {
        format!(
            "2026{}_{}_add_token_to_{}.sql applied ({} ms)",
            draw.below(9_999),
            draw.below(999_999),
            word(draw),
            draw.below(900)
        )
    }),
];
