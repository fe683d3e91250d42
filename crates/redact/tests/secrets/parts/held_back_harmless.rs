//! The part that is held back: what only looks like secrets.

use crate::draw::BASE64;
use crate::harmless::{Kind, camel, hex, word};

/// What only looks like secrets.
pub(super) const HARMLESS: [Kind; 52] = [
    ("cargo.lock", |draw| {
        format!(
            "name = \"secrecy\"\nversion = \"0.{}.0\"\nchecksum = \"{}\"\ndependencies = [\"zeroize\"]",
            draw.below(20),
            hex(draw, 64)
        )
    }),
    ("composer.lock", |draw| {
        format!(
            "\"url\": \"https://api.github.com/repos/acme/{}/zipball/{}\",\n\"reference\": \"{}\",\n\"shasum\": \"\"",
            word(draw),
            hex(draw, 40),
            hex(draw, 40)
        )
    }),
    ("uv.lock", |draw| {
        format!(
            "{{ url = \"https://files.pythonhosted.org/packages/{}/{}/{}/x-1.0.whl\", hash = \"sha256:{}\", size = {} }}",
            hex(draw, 2),
            hex(draw, 2),
            hex(draw, 60),
            hex(draw, 64),
            draw.below(99_999)
        )
    }),
    ("flake.lock", |draw| {
        format!(
            "\"narHash\": \"sha256-{}=\",\n\"owner\": \"nixos\",\n\"rev\": \"{}\"",
            draw.from(BASE64, 43),
            hex(draw, 40)
        )
    }),
    ("deno.lock", |draw| {
        format!("\"https://deno.land/std@0.2{}.0/{}.ts\": \"{}\",", draw.below(99), word(draw), hex(draw, 64))
    }),
    ("package.resolved", |draw| {
        format!(
            "\"state\" : {{ \"revision\" : \"{}\", \"version\" : \"1.{}.0\" }}",
            hex(draw, 40),
            draw.below(40)
        )
    }),
    ("terraform lock", |draw| {
        format!("  hashes = [\n    \"h1:{}=\",\n    \"zh:{}\",\n  ]", draw.from(BASE64, 43), hex(draw, 64))
    }),
    ("build of an image", |draw| {
        format!(
            "#{} sha256:{} {}.1MB / 9.4MB 0.3s\n=> CACHED [builder 3/7] RUN {}",
            draw.below(30),
            hex(draw, 64),
            draw.below(9),
            word(draw)
        )
    }),
    ("ls-remote", |draw| {
        format!("{}\trefs/heads/{}\n{}\trefs/tags/v1.0", hex(draw, 40), word(draw), hex(draw, 40))
    }),
    ("fast forward", |draw| {
        format!(
            "Updating {}..{}\nFast-forward\n src/auth/password_reset.rs | {} ++--\n src/token.rs | 2 +-",
            hex(draw, 7),
            hex(draw, 7),
            draw.below(90)
        )
    }),
    ("keys of gpg", |draw| {
        format!(
            "pub   rsa4096 2024-01-0{} [SC]\n      {}\ngpg: using RSA key {}",
            1 + draw.below(9),
            draw.fill("{H40}"),
            draw.fill("{H40}")
        )
    }),
    ("text of a certificate", |draw| {
        let mut pairs = |count| (0..count).map(|_| draw.fill("{H2}")).collect::<Vec<_>>().join(":");
        format!("sha256 Fingerprint={}\nX509v3 Subject Key Identifier: {}", pairs(32), pairs(20))
    }),
    ("public jwk", |draw| {
        format!(
            "{{\"kty\":\"RSA\",\"use\":\"sig\",\"alg\":\"RS256\",\"kid\":\"{}\",\"n\":\"{}\",\"e\":\"AQAB\"}}",
            word(draw),
            draw.fill("{A342}")
        )
    }),
    ("dkim", |draw| {
        format!(
            "{}._domainkey IN TXT \"v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQ{}IDAQAB\"",
            word(draw),
            draw.from(BASE64, 174)
        )
    }),
    ("security policy", |draw| {
        format!(
            "Content-Security-Policy: script-src 'self' 'sha256-{}='; connect-src https://{}.corp.tld",
            draw.from(BASE64, 43),
            word(draw)
        )
    }),
    ("answer of s3", |draw| {
        format!(
            "x-amz-request-id: {}\nx-amz-id-2: {}=\nx-amz-version-id: {}",
            draw.fill("{u16}"),
            draw.from(BASE64, 75),
            draw.fill("{A32}")
        )
    }),
    ("ids of payments", |draw| {
        format!(
            "{{\"customer\":\"cus_{}\",\"payment_intent\":\"pi_3{}\",\"price\":\"price_1{}\"}}",
            draw.fill("{A14}"),
            draw.fill("{A23}"),
            draw.fill("{A23}")
        )
    }),
    ("ids of chats", |draw| {
        format!(
            "channel C0{} user U0{} message 11800{} thread_ts 17300{}.000{}",
            draw.fill("{u9}"),
            draw.fill("{u9}"),
            draw.fill("{d14}"),
            draw.fill("{d5}"),
            draw.fill("{d3}")
        )
    }),
    ("css modules", |draw| {
        format!(
            ".{}_token__{} {{ color: #{} }} .sc-{}.key-cap {{ margin: 0 }}",
            word(draw),
            draw.fill("{A5}"),
            hex(draw, 6),
            draw.fill("{L6}")
        )
    }),
    ("react", |draw| {
        format!(
            "<PasswordInput key={{{}.id}} value={{password}} onChange={{e => setPassword(e.target.value)}} token={{token}} />",
            word(draw)
        )
    }),
    ("java", |draw| {
        format!(
            "private String {}Password;\npublic void setPassword(String password) {{ this.password = password; }}",
            word(draw)
        )
    }),
    ("go struct", |draw| {
        format!(
            "type {} struct {{\n\tPassword string `json:\"password\"`\n\tToken    string `env:\"{}_TOKEN\"`\n}}",
            camel(draw),
            word(draw).to_uppercase()
        )
    }),
    ("arguments in rust", |draw| {
        format!(
            "#[arg(long, env = \"{}_API_TOKEN\", hide_env_values = true)]\ntoken: Option<SecretString>,",
            word(draw).to_uppercase()
        )
    }),
    ("c sharp", |draw| {
        format!(
            "public string ApiKey {{ get; set; }} = default!; public string {}Secret => _options.Secret;",
            word(draw)
        )
    }),
    ("prisma", |draw| {
        format!(
            "model {} {{\n  id       String @id\n  password String? @db.Text\n  token    String @unique\n}}",
            camel(draw)
        )
    }),
    ("graphql", |draw| {
        format!(
            "mutation {}($password: String!) {{ login(password: $password) {{ token expiresAt }} }}",
            camel(draw)
        )
    }),
    ("protobuf", |draw| {
        format!(
            "message {} {{\n  string access_token = {};\n  bytes secret = {};\n}}",
            camel(draw),
            1 + draw.below(15),
            1 + draw.below(15)
        )
    }),
    ("open api", |draw| {
        format!(
            "password:\n  type: string\n  format: password\n  minLength: {}\n  description: The password of the {}",
            6 + draw.below(20),
            word(draw)
        )
    }),
    ("ansible", |draw| {
        format!(
            "db_password: \"{{{{ vault_{}_password }}}}\"\ntoken: \"{{{{ lookup('env', '{}_TOKEN') }}}}\"",
            word(draw),
            word(draw).to_uppercase()
        )
    }),
    ("terraform", |draw| {
        format!(
            "password      = random_password.{}.result\nsecret_string = jsonencode(local.{})\nprivate_key   = tls_private_key.{}.private_key_pem",
            word(draw),
            word(draw),
            word(draw)
        )
    }),
    ("secrets in files", |draw| {
        let name = word(draw);
        format!(
            "POSTGRES_PASSWORD_FILE: /run/secrets/{name}_password\nsecrets:\n  {name}_password:\n    file: ./{}.txt",
            word(draw)
        )
    }),
    ("names in kubernetes", |draw| {
        format!(
            "tls:\n- secretName: {}-tls\nimagePullSecrets:\n- name: {}-regcred\nserviceAccountName: {}",
            word(draw),
            word(draw),
            word(draw)
        )
    }),
    ("log of a cache", |draw| {
        format!(
            "auth: token cache miss for key user:{} (ttl {}s), reading the password policy of {}",
            draw.below(99_999),
            draw.below(900),
            word(draw)
        )
    }),
    ("prompts", |draw| {
        format!(
            "[sudo] password for {}: \nSorry, try again.\nEnter passphrase for key '~/.ssh/id_{}': ",
            word(draw),
            word(draw)
        )
    }),
    ("documentation", |draw| {
        format!(
            "curl -H \"X-Api-Key: YOUR_API_KEY\" -H \"Authorization: Bearer YOUR_ACCESS_TOKEN\" https://{}.corp.tld/v{}",
            word(draw),
            draw.below(9)
        )
    }),
    ("already masked", |draw| {
        format!(
            "{}_SECRET_ACCESS_KEY=****************\npassword: ••••••••\nAuthorization: Bearer [REDACTED]",
            word(draw).to_uppercase()
        )
    }),
    ("tokenizer", |draw| {
        format!(
            "tokenizer = AutoTokenizer.from_pretrained(\"acme/{}-{}b\", pad_token=\"[PAD]\", eos_token=\"</s>\")",
            word(draw),
            draw.below(90)
        )
    }),
    ("speed", |draw| {
        format!(
            "eval time = {}.{} ms / {} tokens ({}.21 tokens per second), n_tokens = {}",
            draw.below(9_999),
            draw.below(99),
            draw.below(999),
            draw.below(99),
            draw.below(9_999)
        )
    }),
    ("key bindings", |draw| {
        format!("{{ \"key\": \"ctrl+shift+{}\", \"command\": \"{}.toggle\" }}", draw.fill("{L1}"), word(draw))
    }),
    ("keys of caches", |draw| {
        format!(
            "queryKey: ['{}', id], cache_key = f\"user:{{id}}:{}\", localStorage.getItem('token')",
            word(draw),
            word(draw)
        )
    }),
    ("constraints", |draw| {
        format!(
            "ALTER TABLE {} ADD CONSTRAINT fk_{} FOREIGN KEY (token_id) REFERENCES {}(id); -- ON DUPLICATE KEY UPDATE",
            word(draw),
            word(draw),
            word(draw)
        )
    }),
    ("program on a chain", |draw| {
        format!(
            "Program {} invoke [{}]\nProgram log: {}",
            draw.from("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 44),
            1 + draw.below(4),
            word(draw)
        )
    }),
    ("addresses", |draw| {
        format!(
            "inet6 fe80::{}:{}:fe{}:{}/64 scope link; ether {}:{}:3f:{}:00:{}",
            hex(draw, 4),
            hex(draw, 4),
            hex(draw, 2),
            hex(draw, 4),
            hex(draw, 2),
            hex(draw, 2),
            hex(draw, 2),
            hex(draw, 2)
        )
    }),
    ("hexdump", |draw| {
        format!(
            "000000{}0: {} {} {} {} {} {}  ......{}..",
            hex(draw, 1),
            hex(draw, 4),
            hex(draw, 4),
            hex(draw, 4),
            hex(draw, 4),
            hex(draw, 4),
            hex(draw, 4),
            draw.fill("{L2}")
        )
    }),
    ("other languages", |draw| {
        format!(
            "パスワードは{}文字以上で入力してください（{}）。Mot de passe oublié ? Contraseña: mínimo {} caracteres.",
            6 + draw.below(20),
            word(draw),
            6 + draw.below(20)
        )
    }),
    ("history of commits", |draw| {
        format!(
            "{} feat(auth): rotate refresh tokens on password change (#{})\n{} chore: bump {} secrets schema",
            hex(draw, 8),
            draw.below(9_999),
            hex(draw, 8),
            word(draw)
        )
    }),
    ("answers of http", |draw| {
        format!(
            "WWW-Authenticate: Bearer realm=\"{}\", error=\"invalid_token\"\nAccess-Control-Allow-Headers: Authorization, X-Api-Key\nX-RateLimit-Remaining: {}",
            word(draw),
            draw.below(999)
        )
    }),
    ("recipient of age", |draw| {
        format!(
            "# public key: age1{}\nsops --age age1{} -e {}.yaml",
            draw.from("qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58),
            draw.from("qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58),
            word(draw)
        )
    }),
    ("files of a build", |draw| {
        format!(
            "target/debug/deps/lib{}-{}.rlib /nix/store/{}-{}-1.2",
            word(draw),
            hex(draw, 16),
            draw.from("0123456789abcdfghijklmnpqrsvwxyz", 32),
            word(draw)
        )
    }),
    ("tags of images", |draw| {
        format!(
            "registry.corp.tld/{}:{}-20261101 appId: \"1:{}:web:{}\"",
            word(draw),
            hex(draw, 7),
            draw.fill("{d12}"),
            hex(draw, 22)
        )
    }),
    ("names of tests", |draw| {
        format!(
            "  ✓ rejects a token without a signature ({} ms)\n  ✓ {} hashes the password with argon2id ({} ms)",
            draw.below(90),
            word(draw),
            draw.below(90)
        )
    }),
    ("review", |draw| {
        format!(
            "The {} keeps the API key in memory only; its token lives {} minutes and the secret is never written to the {} log.",
            word(draw),
            draw.below(90),
            word(draw)
        )
    }),
];
