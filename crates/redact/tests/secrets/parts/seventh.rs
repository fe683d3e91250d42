//! The seventh part: rare ways to give a secret its name, in shells, languages, tools and what they print.

use super::{Context, Part};

pub(crate) const PART: Part = Part {
    own_form: &[],
    named: &NAMED,
    whole: &WHOLE,
    private_keys: &[],
    unnamed_contexts: &[],
    named_contexts: &NAMED_CONTEXTS,
    harmless: &super::seventh_harmless::HARMLESS,
};

/// Known by their names: kind, name, template.
const NAMED: [(&str, &str, &str); 12] = [
    ("password of a season", "db_password", "Autumn{d4}!"),
    ("password of a generator", "smtp_password", "{A14}"),
    ("password with signs", "admin_password", "{A5}#{A6}%7"),
    ("passphrase", "backup_passphrase", "amber-kettle-{d2}-north"),
    ("token", "deploy_token", "{A32}"),
    ("token of hex", "twilio_auth_token", "{h32}"),
    ("key", "mistral_api_key", "{A32}"),
    ("key of hex", "datadog_api_key", "{h40}"),
    ("client secret", "oauth_client_secret", "{A28}"),
    ("secret of base64", "jwt_secret", "{b43}="),
    ("aws", "aws_secret_access_key", "{b40}"),
    ("uuid", "consul_http_token", "{U}"),
];

/// In place: kind, the text with `@` in the secret's place, template.
const WHOLE: [(&str, &str, &str); 23] = [
    (
        "parameter store",
        "aws ssm put-parameter --name /prod/db/password --type SecureString --value @",
        "{A18}",
    ),
    ("secrets manager", "aws secretsmanager create-secret --name prod/db --secret-string '@'", "{A24}"),
    ("key vault", "az keyvault secret set --vault-name v --name db-password --value @", "{A20}"),
    ("consul", "consul kv put app/db_password @", "{A20}"),
    ("etcd", "etcdctl put /app/db_password @", "{A20}"),
    ("redis set", "redis-cli SET app:api_token @", "{A32}"),
    ("git config", "git config --global github.token @", "{h40}"),
    ("composer", "composer config github-oauth.github.com @", "{h40}"),
    ("poetry", "poetry config pypi-token.pypi @", "{A40}"),
    ("ngrok", "ngrok config add-authtoken @", "2{A26}_{A21}"),
    ("user-secrets", "dotnet user-secrets set \"Smtp:Password\" \"@\"", "{A16}"),
    ("vault string", "ansible-vault encrypt_string '@' --name 'db_password'", "{A16}"),
    ("defaults", "defaults write com.acme.app apiToken @", "{A32}"),
    ("jq", "jq -n --arg token @ '{token: $token}'", "{A32}"),
    ("gpg", "gpg --batch --passphrase @ -d a.gpg", "{A16}"),
    ("secure string", "ConvertTo-SecureString \"@\" -AsPlainText -Force", "{A12}!7"),
    ("ipsec", "10.0.0.1 10.0.0.2 : PSK \"@\"", "{A24}"),
    ("redis auth", "127.0.0.1:6379> AUTH @", "{A24}"),
    ("ftp", "USER deploy\nPASS @\n230 Login successful.", "{A14}"),
    ("aws configure", "AWS Secret Access Key [None]: @\nDefault region name [None]: eu-central-1", "{b40}"),
    ("git asks", "Password for 'https://git.corp.tld': @", "{A20}"),
    ("inquirer", "? Paste your authentication token: @", "{A36}"),
    ("insert", "INSERT INTO settings (name, value) VALUES ('smtp_password', '@');", "{A16}"),
];

/// Where what is known by its name stands.
const NAMED_CONTEXTS: [Context; 60] = [
    ("csh", |name, secret| format!("setenv LANG C\nsetenv {} {secret}\nsetenv EDITOR vi", name.loud)),
    ("csh quoted", |name, secret| format!("setenv {} '{secret}'", name.loud)),
    ("launchctl", |name, secret| format!("launchctl setenv {} {secret}", name.loud)),
    ("ruby or-equals", |name, secret| format!("ENV['{}'] ||= '{secret}'", name.loud)),
    ("javascript or-equals", |name, secret| format!("process.env.{} ||= \"{secret}\";", name.loud)),
    ("javascript nullish-equals", |name, secret| format!("cfg.{} ??= '{secret}'", name.camel)),
    ("javascript or", |name, secret| format!("const v = process.env.{} || '{secret}';", name.loud)),
    ("javascript nullish", |name, secret| format!("v: process.env.{} ?? \"{secret}\",", name.loud)),
    ("python or", |name, secret| format!("v = os.environ.get(\"{}\") or \"{secret}\"", name.loud)),
    ("python default", |name, secret| format!("v = os.getenv(\"{}\", \"{secret}\")", name.loud)),
    ("ruby fetch", |name, secret| format!("ENV.fetch(\"{}\", \"{secret}\")", name.loud)),
    ("ruby fetch block", |name, secret| format!("ENV.fetch('{}') {{ '{secret}' }}", name.loud)),
    ("java default", |name, secret| format!("System.getenv().getOrDefault(\"{}\", \"{secret}\")", name.loud)),
    ("laravel", |name, secret| format!("'{}' => env('{}', '{secret}'),", name.snake, name.loud)),
    ("property list", |name, secret| {
        format!("<dict>\n\t<key>{}</key>\n\t<string>{secret}</string>\n</dict>", name.camel)
    }),
    ("property list in a line", |name, secret| format!("<key>{}</key><string>{secret}</string>", name.loud)),
    ("printenv", |name, secret| format!("$ printenv {}\n{secret}\n$ ", name.loud)),
    ("echo of a variable", |name, secret| format!("$ echo ${}\n{secret}\n", name.loud)),
    ("echo of a quoted variable", |name, secret| format!("$ echo \"${}\"\n{secret}\n", name.loud)),
    ("fish universal", |name, secret| format!("set -Ux {} {secret}", name.loud)),
    ("fish global", |name, secret| format!("set -gx {} {secret}", name.loud)),
    ("cmake", |name, secret| format!("set({} \"{secret}\")", name.loud)),
    ("old dockerfile", |name, secret| format!("FROM alpine\nENV {} {secret}\nRUN make", name.loud)),
    ("go setenv", |name, secret| format!("os.Setenv(\"{}\", \"{secret}\")", name.loud)),
    ("rust set_var", |name, secret| format!("std::env::set_var(\"{}\", \"{secret}\");", name.loud)),
    ("dotnet", |name, secret| {
        format!("[Environment]::SetEnvironmentVariable(\"{}\", \"{secret}\", \"User\")", name.loud)
    }),
    ("putenv", |name, secret| format!("putenv('{}={secret}');", name.loud)),
    ("perl", |name, secret| format!("$ENV{{{}}} = '{secret}';", name.loud)),
    ("perl quoted", |name, secret| format!("$ENV{{'{}'}} = '{secret}';", name.loud)),
    ("emacs", |name, secret| format!("(setenv \"{}\" \"{secret}\")", name.loud)),
    ("emacs variable", |name, secret| format!("(setq acme-{} \"{secret}\")", name.kebab)),
    ("lisp pair", |name, secret| format!("({} . \"{secret}\")", name.kebab)),
    ("clojure", |name, secret| format!("{{:host \"db\" :{} \"{secret}\"}}", name.kebab)),
    ("erlang", |name, secret| format!("{{{}, \"{secret}\"}},", name.snake)),
    ("erlang binary", |name, secret| format!("{{{}, <<\"{secret}\">>}},", name.snake)),
    ("registry", |name, secret| format!("[HKEY_CURRENT_USER\\Acme]\n\"{}\"=\"{secret}\"", name.camel)),
    ("reg add", |name, secret| format!("reg add HKCU\\Acme /v {} /t REG_SZ /d {secret} /f", name.camel)),
    ("java properties in xml", |name, secret| format!("<entry key=\"{}\">{secret}</entry>", name.snake)),
    ("android", |name, secret| format!("<string name=\"{}\">{secret}</string>", name.snake)),
    ("spring", |name, secret| format!("<property name=\"{}\" value=\"{secret}\"/>", name.camel)),
    ("spring in lines", |name, secret| {
        format!("<property name=\"{}\">\n  <value>{secret}</value>\n</property>", name.camel)
    }),
    ("character data", |name, secret| format!("<{0}><![CDATA[{secret}]]></{0}>", name.camel)),
    ("meta-data", |name, secret| {
        format!("<meta-data android:name=\"{}\" android:value=\"{secret}\" />", name.loud)
    }),
    ("box", |name, secret| format!("│ {} │ {secret} │", name.loud)),
    ("gradle", |name, secret| {
        format!("buildConfigField \"String\", \"{}\", \"\\\"{secret}\\\"\"", name.loud)
    }),
    ("print_r", |name, secret| format!("Array\n(\n    [{}] => {secret}\n)", name.snake)),
    ("var_dump", |name, secret| format!("  [\"{}\"]=>\n  string({}) \"{secret}\"", name.snake, secret.len())),
    ("serialized", |name, secret| {
        format!("s:{}:\"{}\";s:{}:\"{secret}\";", name.snake.len(), name.snake, secret.len())
    }),
    ("rust option", |name, secret| format!("Config {{ {}: Some(\"{secret}\"), port: 1 }}", name.snake)),
    ("c array", |name, secret| format!("static const char {}[] = \"{secret}\";", name.snake)),
    ("c pointer", |name, secret| format!("const char *{} = \"{secret}\";", name.snake)),
    ("objective-c", |name, secret| format!("@{{ @\"{}\": @\"{secret}\" }}", name.camel)),
    ("visual basic", |name, secret| format!("Dim {} As String = \"{secret}\"", name.camel)),
    ("pascal", |name, secret| format!("{} := '{secret}';", name.camel)),
    ("lua", |name, secret| format!("cfg[\"{}\"] = \"{secret}\"", name.snake)),
    ("bold", |name, secret| format!("- **{}:** {secret}", name.snake.replace('_', " "))),
    ("bold code", |name, secret| format!("**{}**: `{secret}`", name.snake.replace('_', " "))),
    ("dash", |name, secret| format!("{} — {secret}", name.snake.replace('_', " "))),
    ("next line", |name, secret| {
        format!("Here is the {}:\n\n{secret}\n\nDone.", name.snake.replace('_', " "))
    }),
    ("fenced", |name, secret| format!("Your new {}:\n\n```\n{secret}\n```\n", name.snake.replace('_', " "))),
];
