//! The sixth part: what developers have in their terminals and files, taken from the providers' own documentation.

use super::{Context, Part};

pub(crate) const PART: Part = Part {
    own_form: &OWN_FORM,
    named: &NAMED,
    whole: &WHOLE,
    private_keys: &PRIVATE_KEYS,
    unnamed_contexts: &UNNAMED_CONTEXTS,
    named_contexts: &NAMED_CONTEXTS,
    harmless: &super::sixth_harmless::HARMLESS,
};

/// Known by their own form: kind, template.
const OWN_FORM: [(&str, &str); 50] = [
    ("github fine-grained", "github|_pat_11{u20}_{A59}"),
    ("github installation", "gh|s_{A36}"),
    ("github refresh", "gh|r_{A76}"),
    ("gitlab personal with marks", "gl|pat-{A9}_{A10}"),
    ("gitlab deploy", "gl|dt-{A14}-{A5}"),
    ("gitlab job", "gl|cbt-{h2}_{A20}"),
    ("gitlab kubernetes agent", "gl|agent-{A24}_{A25}"),
    ("bitbucket repository", "ATC|TT3xFfGN0{A80}-{A88}={H8}"),
    ("npm", "np|m_{A36}"),
    ("pypi", "py|pi-AgEIcHlwaS5vcmcCJ{A70}-{A60}"),
    ("crates.io", "ci|o{A32}"),
    ("rubygems", "ruby|gems_{h48}"),
    ("docker hub", "dckr|_pat_{A13}-{A13}"),
    ("openai project", "sk|-proj-{A36}_{A37}T3|BlbkFJ{A31}-{A42}"),
    ("openai service account", "sk|-svcacct-{A73}T3|BlbkFJ{A74}"),
    ("anthropic", "sk-|ant-api03-{A40}-{A32}_{A19}AA"),
    ("google api", "AI|zaSy{A16}_{A16}"),
    ("google access", "ya29|.a0AS3H6N{A60}-{A90}_{A20}0175"),
    ("google client secret", "GOC|SPX-{A13}_{A14}"),
    ("huggingface", "hf|_{A34}"),
    ("replicate", "r8|_{A37}"),
    ("perplexity", "ppl|x-{A48}"),
    ("openrouter", "sk|-or-v1-{h64}"),
    ("xai", "xa|i-{A80}"),
    ("groq", "gs|k_{A20}WGdyb3FY{A24}"),
    ("pinecone", "pcs|k_{A6}_{A63}"),
    ("elevenlabs", "sk|_{h48}"),
    ("digitalocean", "dop|_v1_{h64}"),
    ("heroku", "HR|KU-AA{A29}_{A28}"),
    ("fly", "fm|2_lJPECAAAAAAA{b90}"),
    ("netlify", "nf|p_{A36}"),
    ("aws long-lived", "AK|IA{216}"),
    ("aws temporary", "AS|IA{216}"),
    ("azure application", "{A3}8|Q~{A15}-{A10}_{A7}"),
    ("azure devops", "{A52}JQ|QJ99B{u1}ACAAAAAAAAAAAAASAZ|DO{A4}"),
    ("stripe", "sk|_live_51{A99}"),
    ("stripe restricted", "rk|_live_51{A97}"),
    ("stripe webhook", "whs|ec_{A32}"),
    ("square", "EA|AAl{A59}"),
    ("slack bot", "xox|b-{d11}-{d13}-{A24}"),
    ("slack user", "xox|p-{d11}-{d11}-{d13}-{h32}"),
    ("slack app", "xap|p-1-A0{u9}-{d13}-{h64}"),
    ("discord bot", "MTE{A23}.G{A5}.{A18}-{A19}"),
    ("sendgrid", "S|G.{A10}-{A11}.{A21}_{A21}"),
    ("sentry organisation", "sntr|ys_eyJpYXQiOjE3MzA{b90}=_{b43}"),
    ("grafana service", "gls|a_{A32}_{h8}"),
    ("vault", "hv|s.CAESI{A60}-{A29}"),
    ("terraform cloud", "{A14}.atla|sv1.{A33}-{A33}"),
    (
        "jwt with a key id",
        "ey|JhbGciOiJSUzI1NiIsImtpZCI6IjE2In0.ey|Jpc3MiOiJodHRwczovL2F1dGguY29ycC50bGQi{A60}.{A140}_{A60}",
    ),
    ("jwt without a signature", "ey|JhbGciOiJub25lIiwidHlwIjoiSldUIn0.ey|JzdWIiOiIxMDQ3Iiwicm9sZSI6{A40}."),
];

/// Known by their names: kind, name, template.
const NAMED: [(&str, &str, &str); 44] = [
    ("password of a season", "db_password", "Spring{d4}!"),
    ("password of words", "app_password", "quiet.river.{d3}"),
    ("password of words and signs", "root_password", "Kaffee+Kuchen{d2}"),
    ("password in leet", "admin_password", "Dr4g0n_L0rd{d2}"),
    ("password with signs", "mysql_root_password", "{A4}!@%^*{A5}"),
    ("password of base64", "postgres_password", "{b22}=="),
    ("password of hex", "rabbitmq_default_pass", "{h32}"),
    ("password of a generator", "bind_password", "{A6}-{A6}-{A6}"),
    ("password short", "vnc_password", "{A7}4"),
    ("passphrase of words", "backup_passphrase", "copper-lantern-{d2}-willow"),
    ("pwd", "smtp_pwd", "{A12}9"),
    ("keystore", "release_store_password", "{A5}.{A6}7"),
    ("hetzner", "hcloud_token", "{A64}"),
    ("vercel", "vercel_token", "{A24}"),
    ("cloudflare", "cloudflare_api_token", "{A19}_{A20}"),
    ("cloudflare global", "cloudflare_api_key", "{h37}"),
    ("gitea", "gitea_access_token", "{h40}"),
    ("jira", "jira_api_token", "{A24}"),
    ("pagerduty", "pagerduty_api_token", "u+{A18}"),
    ("postmark", "postmark_server_token", "{U}"),
    ("twilio", "twilio_auth_token", "{h32}"),
    ("codecov", "codecov_token", "{U}"),
    ("consul", "consul_http_token", "{U}"),
    ("honeycomb", "honeycomb_api_key", "{A22}"),
    ("datadog application", "datadog_app_key", "{h40}"),
    ("new relic", "new_relic_license_key", "{h36}NRAL"),
    ("mailgun", "mailgun_api_key", "{h32}-{h8}-{h8}"),
    ("mistral", "mistral_api_key", "{A32}"),
    ("cohere", "cohere_api_key", "{A40}"),
    ("azure openai", "azure_openai_api_key", "{A52}JQ|QJ99B{u1}ACYeBjFXJ3w3AAABACOG{A4}"),
    ("weights and biases", "wandb_api_key", "{h40}"),
    ("aws", "aws_secret_access_key", "{b40}"),
    ("azure", "azure_client_secret", "{A16}.{A10}~{A6}"),
    ("paypal", "paypal_client_secret", "E{A39}-{A39}"),
    ("adyen", "adyen_hmac_key", "{H64}"),
    ("braintree", "braintree_private_key", "{h32}"),
    ("flask", "flask_secret_key", "{h48}"),
    ("jwt", "jwt_signing_key", "{b64}"),
    ("fernet", "fernet_key", "{A20}_{A22}="),
    ("web push", "vapid_private_key", "{A21}-{A21}"),
    ("minio", "minio_secret_key", "{b40}"),
    ("spotify", "spotify_client_secret", "{h32}"),
    ("totp", "totp_secret", "{232}"),
    ("elastic", "elastic_api_key", "{b58}=="),
];

/// In place: kind, the text with `@` in the secret's place, template.
const WHOLE: [(&str, &str, &str); 70] = [
    (
        "postgres with escapes",
        "DATABASE_URL=postgresql://svc_app:@@db-prod.internal:5432/orders?sslmode=require",
        "p%40ss{A6}%2F{d2}%21",
    ),
    ("mysql with signs", "mysql://root:@@127.0.0.1:3306/shop", "{A6}!$*{A4}"),
    (
        "mongodb atlas",
        "MONGO_URI=\"mongodb+srv://svc-orders:@@cluster0.k3xq9.mongodb.net/?appName=c0\"",
        "{A8}-{A8}_{d2}",
    ),
    (
        "redis cloud",
        "redis://default:@@redis-14021.c55.eu-central-1-1.ec2.redns.redis-cloud.com:14021",
        "{A32}",
    ),
    ("cloudamqp", "amqps://kxwzvbqe:@@sparrow.rmq.cloudamqp.com/kxwzvbqe", "{A15}-{A16}"),
    ("oracle", "jdbc:oracle:thin:billing/@@//ora-db.corp.tld:1521/ORCLPDB1", "{A11}3"),
    ("sql server", "jdbc:sqlserver://sql01:1433;databaseName=crm;user=sa;password=@;encrypt=true", "{A9}!7"),
    ("mysql in java", "jdbc:mysql://db:3306/crm?user=crm&password=@&useSSL=false", "{A14}"),
    (
        "azure sql",
        "Server=tcp:crm.database.windows.net,1433;Initial Catalog=crm;User ID=crmadmin;Password=@;Encrypt=True;",
        "{A5}_{A7}!2",
    ),
    (
        "ado with spaces",
        "Data Source=sql01;Initial Catalog=hr;Uid=hr;Pwd=\"@\";Pooling=true",
        "Blue kettle {d2} {A4}",
    ),
    ("create user", "CREATE USER reporting WITH ENCRYPTED PASSWORD '@';", "{A7}#{A6}"),
    ("create login", "CREATE LOGIN app WITH PASSWORD = N'@', CHECK_POLICY = ON;", "{A8}$4x"),
    ("alter user", "ALTER USER root IDENTIFIED WITH caching_sha2_password BY '@';", "{A10}%5"),
    ("mysql", "mysql -h db -u app -p@ crm -e 'show tables'", "{A10}6"),
    (
        "pg_restore with spaces",
        "PGPASSWORD=\"@\" pg_restore -h db -U app -d crm dump.bin",
        "green Table {d3}",
    ),
    ("redis-cli", "redis-cli -h 10.2.0.4 --user default --pass @ INFO", "{A28}"),
    ("mongosh", "mongosh mongodb://localhost --username admin --password @ --eval 'db.stats()'", "{A9}!3"),
    ("sqlcmd", "sqlcmd -S sql01 -U sa -P '@' -Q 'SELECT 1'", "{A5}!{A6}8"),
    ("etcdctl", "etcdctl --endpoints=10.0.0.2:2379 --user root:@ get /app --prefix", "{A11}5"),
    ("rabbitmqctl", "rabbitmqctl add_user billing @", "{A13}4"),
    ("pgpass", "db.internal:5432:orders:svc_app:@", "{A15}9"),
    ("curl", "curl -sS -u 'ci-bot:@' -O https://nexus.corp.tld/repository/raw/x.zip", "{A10}#{d2}"),
    ("expect", "expect \"assword:\"\nsend \"@\\r\"\nexpect eof", "{A8}!{d2}"),
    ("pkcs12", "openssl pkcs12 -in app.p12 -nodes -passin pass:@ -out app.pem", "{A12}2"),
    ("zip", "zip -r -P @ backup.zip data/", "{A12}7"),
    ("docker login", "docker login ghcr.io -u dev --password @", "{A36}"),
    ("mosquitto", "mosquitto_pub -h broker -u sensor -P '@' -t home/temp -m 21", "{A9}5"),
    ("gpg with spaces", "gpg --batch --yes --passphrase '@' -c notes.txt", "seven small boats {d3}"),
    ("htpasswd", "htpasswd -bB /etc/nginx/.htpasswd admin @", "{A11}8"),
    ("ldapsearch", "ldapsearch -x -H ldap://dc1 -D cn=admin,dc=corp,dc=tld -w @ -b dc=corp,dc=tld", "{A9}!6"),
    ("chpasswd", "echo 'deploy:@' | sudo chpasswd", "{A10}3"),
    ("keytool", "keytool -genkey -keystore app.jks -storepass @ -alias app", "{A12}1"),
    ("freerdp", "xfreerdp /u:dev /p:@ /v:10.0.4.9 /cert:ignore", "{A6}.{A6}2"),
    ("lftp", "lftp -u deploy,@ sftp://files.corp.tld -e 'mirror -R dist; bye'", "{A13}5"),
    ("cifs", "mount -t cifs //nas/share /mnt -o username=dev,password=@,vers=3.0", "{A12}4"),
    ("smbclient", "smbclient //nas/backup -U dev%@ -c ls", "{A12}9"),
    ("svn", "svn checkout --username dev --password @ https://svn.corp.tld/trunk", "{A9}7"),
    ("twine", "twine upload -u __token__ -p @ dist/*", "py|pi-AgEIcHlwaS5vcmcCJ{A120}"),
    ("vercel", "vercel deploy --prod --token @", "{A24}"),
    (
        "kubeadm",
        "kubeadm join 10.0.0.1:6443 --token @ --discovery-token-ca-cert-hash sha256:0f",
        "{l6}.{l16}",
    ),
    (
        "secret of a registry",
        "kubectl create secret docker-registry regcred --docker-username=ci --docker-password=@",
        "{A20}",
    ),
    (
        "secret of literals",
        "kubectl -n prod create secret generic db --from-literal=password='@'",
        "{A8}&{A7}",
    ),
    (
        "secret in yaml",
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  DB_PASSWORD: @\n",
        "aFR{21}OXB{21}THd{21}eDR{21}Wmt{21}ITI=",
    ),
    (
        "docker config",
        "{\n  \"auths\": {\n    \"ghcr.io\": {\n      \"auth\": \"@\"\n    }\n  }\n}",
        "Y2ktYm90OktwOXh{21}V3N{21}ZDJ{21}SnZ{21}NWh{21}Um5{21}Yzd{21}WHR{21}",
    ),
    (
        "client key of kubernetes",
        "users:\n- name: admin\n  user:\n    client-key-data: @\n",
        "LS0tLS1CRUdJTiBSU0EgUF|JJVkFURSBLRVktLS0tLQpNSUlF{b240}",
    ),
    ("netrc", "machine api.heroku.com\n  login ops\n  password @\n", "{U}"),
    (
        "npmrc password",
        "//npm.corp.tld/:username=ci\n//npm.corp.tld/:_password=@\n",
        "ckx{21}OHd{21}SHh{21}Mnp{21}VnF{21}",
    ),
    ("pypirc", "[testpypi]\nusername = __token__\npassword = @\n", "py|pi-AgENdGVzdC5weXBpLm9yZ{A110}"),
    ("cargo credentials", "[registries.corp]\ntoken = \"Bearer @\"\n", "{A44}"),
    (
        "settings.xml",
        "<server><id>nexus</id><username>ci</username><password>@</password></server>",
        "{A10}!4",
    ),
    ("tomcat", "<user username=\"admin\" password=\"@\" roles=\"manager-gui\"/>", "{A9}8"),
    (
        "composer",
        "{\"http-basic\": {\"repo.corp.tld\": {\"username\": \"ci\", \"password\": \"@\"}}}",
        "{h40}",
    ),
    (
        "kafka",
        "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username=\"svc\" password=\"@\";",
        "{b62}==",
    ),
    ("shadow", "root:@:19700:0:99999:7:::", "$6${A16}${A86}"),
    ("shadow of today", "dev:@:20012:0:99999:7:::", "$y$j9T${A22}${A43}"),
    ("wireguard", "[Interface]\nAddress = 10.8.0.2/32\nPrivateKey = @\nDNS = 10.8.0.1", "{b43}="),
    ("otpauth", "otpauth://totp/ACME:dev?secret=@&issuer=ACME&digits=6", "{232}"),
    ("oathtool", "oathtool --totp -b @", "{232}"),
    ("recovery codes", "Save your two-factor recovery codes:\n\n  @\n", "{h5}-{h5}"),
    ("unseal key", "Unseal Key 1: @\n\nInitial Root Token: (shown once)", "{b44}"),
    ("root token", "Initial Root Token: @\n\nVault initialized with 5 key shares", "hv|s.{A24}"),
    ("consul header", "curl -H \"X-Consul-Token: @\" http://127.0.0.1:8500/v1/kv/app?keys", "{U}"),
    (
        "s3 presigned",
        "https://b.s3.eu-central-1.amazonaws.com/r.pdf?X-Amz-Date=20261101T101112Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host&X-Amz-Signature=@",
        "{h64}",
    ),
    (
        "azure sas",
        "https://acc.blob.core.windows.net/c?sv=2024-11-04&ss=b&srt=sco&sp=rl&se=2026-12-31T00:00:00Z&sig=@",
        "{A20}%2B{A21}%3D",
    ),
    (
        "azure storage",
        "DefaultEndpointsProtocol=https;AccountName=acmelogs;AccountKey=@;EndpointSuffix=core.windows.net",
        "{b74}+AS|t{b6}==",
    ),
    (
        "slack webhook",
        "curl -d '{\"text\":\"hi\"}' https://hooks.slack.com/services/T04AB12CD/B05EF34GH6K/@",
        "{A24}",
    ),
    ("telegram", "https://api.telegram.org/bot@/sendMessage?chat_id=-1001", "{d10}:A|A{A33}"),
    ("sentry", "SENTRY_DSN=https://9f1c0b7e4a2d4c5e8b3a6d7f0e1c2b3a:@@sentry.corp.tld/4", "{h32}"),
    ("basic", "> Authorization: Basic @\n> Accept: */*", "YWRtaW46OGt{21}Vnp{21}dzN{21}VHl{21}NnE="),
    ("flask session", "Cookie: _ga=GA1.2.77; session=@; lang=de", "ey|J1c2VyX2lkIjo{A22}.{A6}.{A27}"),
];

/// Private keys: kind, the text with `@` (on one line: `#`) in the place of their lines; `¦` is dropped.
const PRIVATE_KEYS: [(&str, &str); 8] = [
    (
        "ec after its parameters",
        "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n-----BEGIN EC PRI¦VATE KEY-----\n@\n-----END EC PRI¦VATE KEY-----\n",
    ),
    (
        "encrypted pkcs8",
        "$ cat server.key\n-----BEGIN ENCRYPTED PRI¦VATE KEY-----\n@\n-----END ENCRYPTED PRI¦VATE KEY-----\n$ ",
    ),
    (
        "putty",
        "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: dev-laptop\nPublic-Lines: 1\nAAAAB3NzaC1yc2EAAAADAQAB\nPri¦vate-Lines: 4\n@\nPrivate-MAC: 00\n",
    ),
    (
        "openssh in a variable",
        "SSH_DEPLOY_KEY=\"-----BEGIN OPENSSH PRI¦VATE KEY-----\\n#\\n-----END OPENSSH PRI¦VATE KEY-----\\n\"\nPORT=80\n",
    ),
    (
        "service account",
        "{\"type\":\"service_account\",\"project_id\":\"acme-prod\",\"private_key\":\"-----BEGIN PRI¦VATE KEY-----\\n#\\n-----END PRI¦VATE KEY-----\\n\",\"client_id\":\"104\"}",
    ),
    (
        "pgp with a comment",
        "-----BEGIN PGP PRI¦VATE KEY BLOCK-----\nComment: release signing\n\n@\n=Kx4T\n-----END PGP PRI¦VATE KEY BLOCK-----\n",
    ),
    (
        "terraform",
        "resource \"tls\" \"k\" {\n  private_key = <<EOT\n-----BEGIN RSA PRI¦VATE KEY-----\n@\n-----END RSA PRI¦VATE KEY-----\nEOT\n}",
    ),
    (
        "bundle",
        "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ0v\n-----END CERTIFICATE-----\n-----BEGIN PRI¦VATE KEY-----\n@\n-----END PRI¦VATE KEY-----\n",
    ),
];

/// Where what is known by its form stands.
const UNNAMED_CONTEXTS: [Context; 13] = [
    ("pipe", |_, secret| format!("echo {secret} | pbcopy")),
    ("argument in code", |_, secret| format!("const api = new Client('{secret}', {{ retries: 3 }});")),
    ("list in yaml", |_, secret| format!("args:\n  - deploy\n  - {secret}\n  - eu-central-1\n")),
    ("message", |_, secret| format!("hey, pls use {secret} till friday, then I rotate it")),
    ("shown once", |_, secret| {
        format!("✔ Created. Copy it now, it won't be shown again:\n\n    {secret}\n\n")
    }),
    ("history", |_, secret| format!(" 1041  cd app\n 1042  ./publish.sh {secret} --dry-run\n 1043  ls")),
    ("xml", |_, secret| format!("<entry>\n  <value>{secret}</value>\n</entry>")),
    ("output in json", |_, secret| format!("{{\"stdout\":\"value: {secret}\\nexit 0\\n\",\"code\":0}}")),
    ("coloured", |_, secret| format!("\u{1b}[2mvalue\u{1b}[0m \u{1b}[32m{secret}\u{1b}[0m")),
    ("fence", |_, secret| format!("Then run it with\n\n```\n{secret}\n```\n")),
    ("process list", |_, secret| format!("dev   4121  0.0  0.1  node worker.js {secret} --port 80")),
    ("escaped quotes", |_, secret| format!("{{\"cmd\":\"run \\\"{secret}\\\" --fast\"}}")),
    ("columns", |_, secret| format!("ci\t{secret}\t2026-11-02\tnever")),
];

/// Where what is known by its name stands.
const NAMED_CONTEXTS: [Context; 17] = [
    ("systemd", |name, secret| {
        format!("[Service]\nEnvironment=\"{}={secret}\"\nExecStart=/usr/bin/app\n", name.loud)
    }),
    ("docker inspect", |name, secret| {
        format!(
            "\"Env\": [\n    \"PATH=/usr/bin:/bin\",\n    \"{}={secret}\",\n    \"LANG=C\"\n],",
            name.loud
        )
    }),
    ("dockerfile", |name, secret| format!("FROM alpine:3.20\nENV {}={secret} \\\n    PORT=8080", name.loud)),
    ("env with spaces", |name, secret| format!("PORT = 8080\n{} = \"{secret}\"\n", name.loud)),
    ("tfvars", |name, secret| format!("region      = \"eu-central-1\"\n{}    = \"{secret}\"\n", name.snake)),
    ("app settings", |name, secret| {
        format!("<appSettings>\n  <add key=\"{}\" value=\"{secret}\" />\n</appSettings>", name.camel)
    }),
    ("yaml quoted", |name, secret| format!("auth:\n  {}: '{secret}'\n  realm: corp\n", name.kebab)),
    ("typescript field", |name, secret| format!("  private readonly {}: string = '{secret}';", name.camel)),
    ("python environment", |name, secret| format!("os.environ.setdefault(\"{}\", \"{secret}\")", name.loud)),
    ("flag with quotes", |name, secret| format!("acme deploy --region eu --{} '{secret}' --yes", name.kebab)),
    ("launch.json", |name, secret| {
        format!("\"env\": {{\n  \"NODE_ENV\": \"dev\",\n  \"{}\": \"{secret}\"\n}}", name.loud)
    }),
    ("log with json", |name, secret| {
        format!(
            "{{\"msg\":\"loaded\",\"config\":\"{{\\\"{}\\\":\\\"{secret}\\\",\\\"port\\\":1}}\"}}",
            name.camel
        )
    }),
    ("rust", |name, secret| format!("    let {} = \"{secret}\".to_string();", name.snake)),
    ("default in a shell", |name, secret| format!("X=\"${{{}:-{secret}}}\"\necho start", name.loud)),
    ("note", |name, secret| format!("staging box\n{}: {secret}\nuser: ops\n", name.snake.replace('_', " "))),
    ("heroku", |name, secret| format!("heroku config:set {}={secret} -a acme-api", name.loud)),
    ("debug of a struct", |name, secret| {
        format!("Config {{ host: \"db\", {}: \"{secret}\", port: 5432 }}", name.snake)
    }),
];
