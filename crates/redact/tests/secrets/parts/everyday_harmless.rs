//! The everyday part: ids, digests and names that only look like secrets.

use crate::draw::{BASE64, Draw};
use crate::harmless::{Kind, camel, hex, word};

/// A word with a capital.
pub(super) fn proper(draw: &mut Draw) -> String {
    let word = word(draw);
    format!("{}{}", word[..1].to_uppercase(), &word[1..])
}

/// The name of something secret, without a value.
pub(super) fn topic(draw: &mut Draw) -> &'static str {
    draw.pick(&["password", "token", "secret", "api_key", "access_token", "client_secret", "private_key"])
}

/// The same as a variable.
pub(super) fn loud(draw: &mut Draw) -> &'static str {
    draw.pick(&[
        "DB_PASSWORD",
        "JWT_SECRET",
        "API_KEY",
        "GITHUB_TOKEN",
        "STRIPE_SECRET_KEY",
        "OPENAI_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "SESSION_SECRET",
        "SLACK_BOT_TOKEN",
    ])
}

/// What only looks like secrets.
pub(super) const HARMLESS: &[Kind] = &[
    ("git log", |draw| {
        format!(
            "commit {}\nAuthor: Jo Doe <jo@example.com>\n\n    Fix {} of {}",
            hex(draw, 40),
            word(draw),
            word(draw)
        )
    }),
    ("git log on lines", |draw| {
        format!("{} feat(auth): rotate {} tokens (#{})", hex(draw, 9), word(draw), draw.below(4000))
    }),
    ("diff index", |draw| {
        let name = word(draw);
        format!(
            "diff --git a/src/{name}.ts b/src/{name}.ts\nindex {}..{} 100644\n--- a/src/{name}.ts",
            hex(draw, 10),
            hex(draw, 10)
        )
    }),
    ("git refs", |draw| format!("{}\trefs/heads/{}/token-{}", hex(draw, 40), word(draw), word(draw))),
    ("uuids", |draw| {
        let name = draw.pick(&["id", "user_id", "tenantId", "requestId", "session_id", "client_id"]);
        format!("\"{name}\": \"{}\",", draw.uuid())
    }),
    ("package lock", |draw| {
        format!(
            "\"resolved\": \"https://registry.npmjs.org/{0}/-/{0}-{1}.2.0.tgz\",\n\
             \"integrity\": \"sha512-{2}==\",",
            word(draw),
            draw.below(20),
            draw.from(BASE64, 86)
        )
    }),
    ("pnpm lock", |draw| format!("    resolution: {{integrity: sha512-{}==}}", draw.from(BASE64, 86))),
    ("cargo lock", |draw| {
        format!(
            "name = \"{}\"\nversion = \"0.{}.1\"\nchecksum = \"{}\"",
            word(draw),
            draw.below(40),
            hex(draw, 64)
        )
    }),
    ("go sum", |draw| {
        format!("github.com/acme/{} v1.{}.0 h1:{}=", word(draw), draw.below(40), draw.from(BASE64, 43))
    }),
    ("poetry lock", |draw| {
        format!(
            "    {{file = \"{}-1.0-py3-none-any.whl\", hash = \"sha256:{}\"}},",
            word(draw),
            hex(draw, 64)
        )
    }),
    ("image digests", |draw| {
        let name = word(draw);
        format!(
            "{}: Pull complete\nDigest: sha256:{}\nacme/{name}@sha256:{}",
            hex(draw, 12),
            hex(draw, 64),
            hex(draw, 64)
        )
    }),
    ("containers", |draw| {
        format!(
            "{}   acme/{}:1.{}   \"/entrypoint.sh\"   2 hours ago   Up",
            hex(draw, 12),
            word(draw),
            draw.below(9)
        )
    }),
    ("checksums", |draw| format!("{}  {}-linux-amd64.tar.gz", hex(draw, 64), word(draw))),
    ("etags", |draw| {
        let length = draw.pick(&[32, 40]);
        format!("< HTTP/2 200\n< etag: W/\"{}\"\n< content-length: {}", hex(draw, length), draw.below(90_000))
    }),
    ("hashed files", |draw| {
        let (name, tag) = (word(draw), draw.fill("{A8}"));
        format!("dist/assets/{name}-{tag}.js   {}.12 kB │ gzip: {}.40 kB", draw.below(400), draw.below(90))
    }),
    ("public ssh key", |draw| {
        format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} {}@laptop", draw.from(BASE64, 43), word(draw))
    }),
    ("fingerprints", |draw| format!("256 SHA256:{} {}@host (ED25519)", draw.from(BASE64, 43), word(draw))),
    ("known hosts", |draw| {
        format!(
            "{}.example.com ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{}=",
            word(draw),
            draw.from(BASE64, 200)
        )
    }),
    ("public key and certificate", |draw| {
        let what = draw.pick(&["PUBLIC KEY", "CERTIFICATE"]);
        format!(
            "-----BEGIN {what}-----\nMII{}\n{}\n-----END {what}-----",
            draw.from(BASE64, 61),
            draw.from(BASE64, 64)
        )
    }),
    ("placeholders in .env", |draw| {
        let value = draw.pick(&[
            "changeme",
            "<your-token>",
            "your_api_key_here",
            "xxxxxxxxxxxxxxxx",
            "***",
            "********",
            "REPLACE_ME",
            "[REDACTED]",
            "...",
            "",
            "<secret>",
            "YOUR_SECRET_KEY",
        ]);
        format!("{}={value}\nPORT={}", loud(draw), draw.below(9000))
    }),
    ("placeholders in yaml", |draw| {
        let value = draw.pick(&[
            "null",
            "\"\"",
            "true",
            "~",
            "<redacted>",
            "\"changeme\"",
            "!vault",
            "\"{{ vault_db }}\"",
        ]);
        format!("{}:\n  {}: {value}", word(draw), topic(draw))
    }),
    ("shell variables", |draw| {
        let name = loud(draw);
        let text = draw.pick(&[
            "export @=\"${@}\"",
            "docker run -e @=$@ acme/app",
            "curl -H \"Authorization: Bearer $@\" https://api.example.com",
            "@=$(op read op://dev/app/value)",
            "@=\"$(cat /run/secrets/app)\"",
            "if [ -z \"${@:-}\" ]; then echo \"@ is not set\" >&2; fi",
            "read -rsp 'Value: ' @",
            "mysql -u root -p\"$@\" shop",
            "curl https://ci:${@}#git.example.com/app.git",
            "unset @",
        ]);
        format!("{} # {}", text.replace('@', name).replace('#', "@"), word(draw))
    }),
    ("read from the environment", |draw| {
        let name = loud(draw);
        let text = draw.pick(&[
            "apiKey: process.env.@,",
            "const secret = process.env.@!;",
            "password = os.environ[\"@\"]",
            "token = os.getenv(\"@\")",
            "secret: import.meta.env.VITE_@",
            "let key = std::env::var(\"@\")?;",
            "password := os.Getenv(\"@\")",
            "secret_key_base: <%= ENV[\"@\"] %>",
            "'password' => env('@', ''),",
            "password: config.get('@'),",
        ]);
        format!("{}  // {}", text.replace('@', name), word(draw))
    }),
    ("workflows", |draw| {
        let name = loud(draw);
        format!("      - name: {}\n        env:\n          {name}: ${{{{ secrets.{name} }}}}", proper(draw))
    }),
    ("masked in a ci log", |draw| {
        format!("Run ./{}.sh\n  env:\n    {}: ***\n    CI: true", word(draw), loud(draw))
    }),
    ("terraform references", |draw| {
        let text = draw.pick(&[
            "password = var.db_password",
            "master_password = random_password.db.result",
            "secret_id = aws_secretsmanager_secret.@.id",
            "token = data.vault_generic_secret.@.data[\"token\"]",
            "api_key = (sensitive value)",
            "kms_key_id = aws_kms_key.@.arn",
        ]);
        format!("  {}", text.replace('@', word(draw)))
    }),
    ("references in kubernetes", |draw| {
        format!(
            "      valueFrom:\n        secretKeyRef:\n          name: {}-credentials\n          key: {}",
            word(draw),
            draw.pick(&["password", "token", "database-url"])
        )
    }),
    ("names of secrets", |draw| {
        let name = word(draw);
        let text = draw.pick(&[
            "secretName: @-tls",
            "secretName: @-db-credentials",
            "imagePullSecrets:\n  - name: @-registry",
            "existingSecret: @-postgresql",
            "existingSecretPasswordKey: password",
            "aws secretsmanager get-secret-value --secret-id prod/@/db",
            "secret/@-token created",
            "kubectl get secret @-credentials -o yaml",
        ]);
        format!("# {}\n{}", word(draw), text.replace('@', name))
    }),
    ("listed secrets", |draw| {
        format!("{}-credentials   Opaque   {}   {}d", word(draw), draw.below(9), draw.below(400))
    }),
    ("types", |draw| {
        let name = topic(draw);
        let text = draw.pick(&[
            "  @: string;",
            "  @?: string | null;",
            "    pub @: Option<String>,",
            "    @: str = Field(..., min_length=12)",
            "    private String @;",
            "  readonly @: SecretString;",
            "    @ SecretRef `json:\"@,omitempty\"`",
            "  string @ = 3;",
        ]);
        format!("// {}\n{}", proper(draw), text.replace('@', name))
    }),
    ("functions", |draw| {
        let name = camel(draw);
        let text = draw.pick(&[
            "async function verifyPassword(@: string, hash: string): Promise<boolean> {",
            "def refresh_access_token(self, @): ...",
            "const token = await getToken(@);",
            "let token = self.next_token(@)?;",
            "password = generatePassword(@.length)",
            "const apiKey = req.headers['x-api-key'] ?? @;",
            "user.password = await bcrypt.hash(dto.password, @.rounds);",
            "this.accessToken = response.data.access_token;",
            "const { password, ...rest } = @;",
            "secret: config.secret || @.secret,",
        ]);
        format!("{} // {}", text.replace('@', &name), word(draw))
    }),
    ("tokens of a parser", |draw| {
        let text = draw.pick(&[
            "Token::Ident(\"@\".into())",
            "if token == TokenKind.@ {",
            "expected token `@`, found `;`",
            "SyntaxError: Unexpected token '@' in JSON at position 17",
            "token: Token { kind: @, span: 12..18 }",
            "let key_token = self.peek_@();",
        ]);
        format!("{}:{}: {}", word(draw), draw.below(900), text.replace('@', word(draw)))
    }),
    ("assertions", |draw| {
        let name = word(draw);
        let text = draw.pick(&[
            "expect(screen.getByLabelText('Password')).toBeVisible();",
            "assert response.json()[\"token\"] is not None",
            "expect(@.password).toBeUndefined();",
            "assert!(@.token().is_some());",
            "expect(res.body).toHaveProperty('accessToken');",
            "await page.fill('#password', @.password);",
        ]);
        format!("{} // {}", text.replace('@', name), draw.below(99))
    }),
];
