//! The seventh part: the same forms, with what is no secret.

use crate::harmless::{Kind, camel, hex, word};

/// What only looks like secrets.
pub(super) const HARMLESS: [Kind; 44] = [
    ("csh", |draw| format!("setenv EDITOR {}\nsetenv TOKEN_DIR /var/{}", word(draw), word(draw))),
    ("csh with a variable", |draw| format!("setenv {}_TOKEN $argv[1]", word(draw).to_uppercase())),
    ("talk of setenv", |draw| format!("use setenv password handling of the {} module", word(draw))),
    ("or-equals", |draw| format!("ENV['API_TOKEN'] ||= fetch_{}(:token)", word(draw))),
    ("or", |draw| format!("const token = process.env.API_TOKEN || readToken('{}');", word(draw))),
    ("or an empty one", |_| "const t = process.env.API_TOKEN ?? '';\nconst p = pw || null;".to_owned()),
    ("or an error", |draw| format!("if (!token || '{}' in params) throw new Error()", word(draw))),
    ("or a name", |draw| format!("os.getenv(\"API_TOKEN\", \"{}\")", word(draw))),
    ("condition", |draw| format!("if password || {}Enabled {{ return }}", camel(draw))),
    ("pipe", |draw| format!("cat token || echo '{}-{}'", word(draw), draw.below(99))),
    ("property list", |draw| format!("<key>TokenCount</key><integer>{}</integer>", draw.below(90_000))),
    ("property list of words", |draw| {
        format!("<key>passwordLabel</key>\n<string>{} {}</string>", word(draw), word(draw))
    }),
    ("property list of a bundle", |draw| {
        format!("<key>CFBundleIdentifier</key>\n<string>com.acme.{}</string>", word(draw))
    }),
    ("property list of a key", |draw| {
        format!("<key>key</key>\n<string>{}</string>\n<key>token</key>\n<true/>", word(draw))
    }),
    ("printenv of nothing", |draw| format!("$ printenv API_TOKEN\n$ ls {}2", word(draw))),
    ("printenv and more", |draw| {
        format!("$ printenv API_TOKEN\nbash: printenv: command not found\n$ cat {}.txt", word(draw))
    }),
    ("echo of nothing", |draw| format!("$ echo $API_TOKEN\n\n$ git log\ncommit {}", hex(draw, 40))),
    ("echo into a file", |draw| format!("echo $API_TOKEN > {}.txt\nmake build2release", word(draw))),
    ("script with echo", |draw| {
        format!("echo $DB_PASSWORD\ncd /srv/{}_v{}\n./run.sh", word(draw), draw.below(9))
    }),
    ("dockerfile", |draw| format!("ENV TOKEN_FILE /run/secrets/{}\nENV KEY_ID {}", word(draw), word(draw))),
    ("cmake", |draw| format!("set(TOKEN_SOURCES \"src/{}.c\" \"src/{}.c\")", word(draw), word(draw))),
    ("lisp", |draw| format!("(token . \"{}\") (key . \"{}\")", word(draw), word(draw))),
    ("clojure", |draw| format!("{{:token :{} :password \"\" :key \"{}\"}}", word(draw), word(draw))),
    ("erlang", |draw| format!("{{token, {}_token}}, {{key, <<\"{}\">>}}", word(draw), word(draw))),
    ("erlang call", |draw| format!("handle({{password, Password}}, State) -> {}(State)", camel(draw))),
    ("android", |draw| format!("<string name=\"password_hint\">Your {} here</string>", word(draw))),
    ("android label", |draw| format!("<string name=\"password\">{} password</string>", word(draw))),
    ("option", |draw| {
        format!("token: Some({}.token), password: None, key: Some(\"{}\")", word(draw), word(draw))
    }),
    ("c array", |draw| format!("char password[{}]; char token[TOKEN_MAX] = {{0}};", 8 + draw.below(90))),
    ("print_r", |draw| format!("[token] => {}\n[password] => Array", word(draw))),
    ("commit on a line", |draw| format!("The commit after the token change:\n\n{}\n\nDone.", hex(draw, 40))),
    ("sentence on a line", |draw| {
        format!("About the password:\n\nRotate2Keep of {} is what we chose\n", word(draw))
    }),
    ("file on a line", |draw| {
        format!("where we read the token:\n\nsrc/auth/{}_v2.rs:{}\n", word(draw), draw.below(900))
    }),
    ("reg add", |draw| {
        format!("reg add HKCU\\Acme /v TokenDir /t REG_SZ /d C:\\{}\\{} /f", word(draw), word(draw))
    }),
    ("two parts on a line", |draw| format!("where we read the token:\n\nauth/{}_v2.rs\n", word(draw))),
    ("heading", |draw| format!("## Token:\n\n{}-{}-v2\n\nSee above.", word(draw), word(draw))),
    ("python class", |draw| format!("class Token:\n\n    {}_v2 = 3\n\n    def run(self): ...", word(draw))),
    ("dash", |draw| format!("rotate the token — {}_{}2 needs it", word(draw), word(draw))),
    ("dash at the end", |draw| format!("the token — see {}V2\npassword — {}", camel(draw), word(draw))),
    ("bold", |draw| format!("- **Token:** the {} token, 300 at most\n- **Password:** required", word(draw))),
    ("object", |draw| format!("login({{password, \"remember-me\": true, {}}})", word(draw))),
    ("git config", |draw| format!("git config credential.helper store\ngit config user.name {}", word(draw))),
    ("question", |draw| format!("Password for '{}': \nLogin incorrect", word(draw))),
    ("jest", |draw| {
        format!("USER {0}\nPASS src/{0}/token.test.ts (5.12 s)\nPASS src/Key2.test.ts", word(draw))
    }),
];
