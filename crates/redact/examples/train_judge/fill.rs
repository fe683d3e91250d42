//! Drawn texts: sentences and settings with gaps, filled at random, in which it is known what is a secret.

/// Lines of texts with gaps; `\n` and `\t` stand for themselves.
const SECRETS: &str = include_str!("secrets.txt");
const HARMLESS: &str = include_str!("harmless.txt");
/// Words to make values and names of.
const WORDS: &str = "anchor apron autumn badger banjo barley basil beacon birch biscuit bramble breeze button cactus camel candle canyon carrot castle cedar cherry cinder clover cobalt comet copper coral cotton cradle cricket crystal dagger daisy delta desert dolphin dragon drift eagle ember engine falcon feather fennel ferry fiddle flint forest fossil fox garden garlic ginger glacier granite gravel hammer harbor hazel heron hockey honey igloo island ivory jacket jasmine jelly jigsaw jungle kayak kettle kitten ladder lagoon lantern laurel lemon linen lizard lobster magnet mango maple marble meadow melon mirror monkey muffin mustard nebula needle noodle nugget oasis olive onion orbit orchid otter oyster paddle panda panther parrot peanut pebble pelican pepper piano pickle pigeon pillow pirate planet plum pocket pollen poppy potato prairie puddle pumpkin puzzle quarry quartz rabbit radish raven ribbon river robin rocket saddle saffron salmon sandal satin scarlet shadow silver sketch slipper sparrow spider spiral spruce squirrel stone sugar summer sunset swan tango teapot temple thistle thunder tiger timber toffee tomato trumpet tulip tunnel turtle umbrella valley vanilla velvet violet violin walnut walrus willow window winter wizard yellow zebra zipper apfel bahnhof birke blume brunnen drachen eiche ente fenster fichte flasche fuchs garten gurke hafen hase himmel igel kaffee kirsche kranich kuchen laterne leiter linde mauer milch moor nebel ofen pflaume regen schnee segel sommer sonne steg storch tanne tasse teller turm vogel wald welle wiese wolke zange zaun ziegel zwiebel fromage galet mouette nuage oiseau orage perle poire prune sable soleil vague cerise lavande abeja arena canela cielo fuego jardin luna madera naranja piedra playa queso rana sombra tierra viento albero arancia farfalla ghiro limone nespola notte pioggia sasso stella vento bloem boter fiets kaas molen schaap sneeuw tulp blomma fjord karhu kuusi lintu metsa pilvi sauna talvi brzoza chmura jablko kawa motyl rzeka sowa wiatr zima jablon kavka potok slunce vlna balaton korte madar berezka luna reka sneg solnce sakura mochi fuji kawaii ramen sushi kimchi namu baram haneul pho saigon";
const NAMES: &str = "Anna Ben Carla David Elena Farid Greta Hugo Ines Jonas Keiko Lars Maria Nina Omar Pavel Quinn Rosa Sven Tomek Uma Viktor Wanda Yusuf Zoe";
const SERVICES: &str = "auth billing cart catalog checkout dashboard deploy gateway grafana ingest inventory jenkins keycloak ledger mailer metrics monitor notify orders payments portal proxy queue registry reports scheduler search sensor session shop staging storage sync tracker upload vault warehouse webhook wiki worker";
const PLAIN: &str = "account archive button button change client column comment config customer default department device document email entry error example feature folder garden handler header index input issue item label laptop letter library machine manager message meeting module monday number object office option order output page panel paper parser pasta phone picture policy printer process product profile project record report request response result review router sample schema screen script section sequence server service sheet signal smoke spring staff state station status step string summary support system table target team template test thing ticket title topic update user value version window worker";

/// Names of programs that have digits in them.
const DIGIT_NAMES: &str = "zigbee2mqtt esp32cam fail2ban neo4j log4j2 auth0 s3fs k3s k8s-api n8n p4merge h2console web3js oauth2-proxy ec2proxy b2sync i2pd l2tpd x509util ldap2csv pdf2text md5deep sha1sum mp3gain bzip2 lz4cat e2fsck python3 php8-fpm tomcat9 mysql8 mariadb11 postgres16 elastic7 redis7 jenkins2 gitlab15 nextcloud29 nginx-1 db01 db02.acme.lan mail01 vpn2 web-03.corp.lan gw1.example.net pve2 nas3 i18n l10n a11y utf8 base64 ipv6 http2 grpc2 v4l2 wpa3 wifi6 usb3";

/// What is said of passwords.
const TALK: &str = "changes rules complexity length lengths handling caching rotation storage later afterwards tomorrow yesterday again twice manually automatically carefully correctly properly quickly separately explicitly directly optional required disabled enabled missing unchanged unknown invalid expired hidden visible empty plaintext plain encrypted hashing hashes salting prompts prompting policy policies reminders expectations management managers workflow workflows behaviour equality formats validators confirmation remember forgotten reset recovery sharing protection backups documentation configuration settings setting directive support testing tests checks checking review strength entropy typing guessing spraying stuffing cracking leaks leaking garbage nonsense something anything nothing whatever somehow instead first last only alone together alongside unconditionally permanently temporarily beforehand internally externally uppercase lowercase letters digits symbols characters unicode fields inputs dialogs forms pages screens buttons labels columns tables rows quickcheck hypothesis argon bcrypt vergessen ändern geändert falsch richtig abgelaufen zurücksetzen eingeben wiederholen merken speichern ungültig incorrecta olvidada caducada oublié expiré invalide errata scaduta vanhentunut väärin felaktigt ugyldigt successfully unsuccessfully accepted rejected verified required";

/// A generator of numbers.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }

    fn of<'t>(&mut self, list: &'t str) -> &'t str {
        let all: Vec<&str> = list.split(' ').collect();
        all[self.below(all.len())]
    }

    fn sign(&mut self, signs: &str) -> char {
        let at = self.below(signs.len());
        char::from(signs.as_bytes()[at])
    }

    fn run(&mut self, letters: &str, length: usize) -> String {
        (0..length).map(|_| self.sign(letters)).collect()
    }

    fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most + 1 - least)
    }

    fn digits(&mut self, least: usize, most: usize) -> String {
        let length = self.between(least, most);
        self.run("0123456789", length)
    }

    fn word(&mut self) -> String {
        self.of(WORDS).to_owned()
    }

    fn title(&mut self) -> String {
        capital(self.of(WORDS))
    }
}

const LOW: &str = "abcdefghijklmnopqrstuvwxyz";
const CAPS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const BASE62: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";

fn capital(word: &str) -> String {
    word[..1].to_ascii_uppercase() + &word[1..]
}

fn leet(draw: &mut Draw, word: &str) -> String {
    let mut count = 0;
    let bent = |letter: char| match letter {
        'a' => '4',
        'e' => '3',
        'i' => '1',
        'o' => '0',
        's' => '5',
        't' => '7',
        other => other,
    };
    word.chars()
        .map(|letter| {
            if bent(letter) != letter && (count == 0 || draw.below(2) == 0) {
                count += 1;
                bent(letter)
            } else {
                letter
            }
        })
        .collect()
}

/// A password that a person chose, or a generator made to be typed.
fn password(draw: &mut Draw) -> String {
    let (first, second) = (draw.word(), draw.word());
    let (a, b) = (capital(&first), capital(&second));
    let number = draw.digits(1, 4);
    let short = draw.digits(1, 2);
    let sign = draw.sign("!#$%&*+?~@");
    let joint = draw.sign("-_.-_.-!#+*&$~");
    match draw.below(31) {
        26 => joined(draw),
        27 => format!("{first}{b}"),
        28 => format!("{}{first}{}{second}", draw.digits(1, 2), draw.digits(1, 3)),
        29 => {
            let about = draw.of("changeme replace your fake test example dummy todo insert sample please not here secret password default demo");
            format!("{about}{joint}{a}{joint}{number}")
        }
        30 => {
            let length = draw.between(8, 14);
            draw.run(&format!("{BASE62}!#$%&*+-_?)(<>^=@"), length) + &short
        }
        0..=2 => format!("{a}{joint}{b}{joint}{number}"),
        3 | 4 => format!("{a}{joint}{b}{number}"),
        5 => format!("{first}{joint}{second}{joint}{short}"),
        6 => format!("{first}{b}{number}"),
        7 => format!("{a}{b}{number}{sign}"),
        8 => format!("{a}{sign}{second}{short}"),
        9 => format!("{first}{sign}{b}"),
        10 => format!("{first}{number}"),
        11 => format!("{a}{number}{sign}"),
        12 => format!("{}{joint}{b}", leet(draw, &first)),
        13 => format!("{}{b}{short}", leet(draw, &a)),
        14 => {
            let length = draw.between(8, 14);
            let signs = format!("{BASE62}{BASE62}!#$%&*+-_?");
            format!("{}{}", draw.run(&signs, length), short)
        }
        15 => {
            let length = draw.between(8, 16);
            format!("{}{short}", draw.run(BASE62, length))
        }
        16 => format!("{first}-{second}-{}", draw.word()),
        17 => format!("{a}-{b}-{}", draw.title()),
        18 => format!("{number}{a}{sign}"),
        19 => format!("{a}{}", draw.between(1950, 2026)),
        20 => format!("{a}{}{}", draw.between(1950, 2026), draw.sign("!?#*")),
        21 => format!("{first}{second}"),
        22 => format!("{}{joint}{}{joint}{}", draw.run(LOW, 3), draw.run(BASE62, 4), draw.run(LOW, 4)),
        23 => format!("{first}.{second}.{short}"),
        24 => match draw.below(3) {
            0 => format!("{}ö{}-{a}{short}", draw.run(CAPS, 1), draw.run(LOW, 3)),
            1 => format!(
                "{}{number}{}",
                ["Калина", "Берёза", "Сонце", "Ключик"][draw.below(4)],
                ["Міст", "лес", "Море", "!"][draw.below(4)]
            ),
            _ => format!("{a}{}{number}", ["猫", "桜", "Ωμέγα", "شمس", "舟"][draw.below(5)]),
        },
        _ => format!("{a}_{b}"),
    }
}

/// Words that sentences have.
const SMALL: &str = "the a my no of in and on with for is are to at over under behind der die das im am mit ohne und von zu auf nach le la les de du et sur el los en con y il di e per na w i z";
/// What people do in passphrases.
const DONE: &str = "waits eats sings dances likes sleeps runs hides jumps paints drinks tanzen tanzt frisst singt schläft läuft kocht trinkt danse mange chante baila come duerme balla dorme";

/// Words as a sentence has them.
fn sentence(draw: &mut Draw) -> String {
    let mut words = Vec::new();
    for _ in 0..draw.between(1, 3) {
        if draw.below(2) == 0 {
            words.push(draw.of(SMALL).to_owned());
        }
        words.push(if draw.below(4) == 0 { draw.title() } else { draw.word() });
        if draw.below(2) == 0 {
            words.push(draw.of(DONE).to_owned());
        }
    }
    words.push(draw.word());
    words.join(" ")
}

fn phrase(draw: &mut Draw) -> String {
    if draw.below(3) == 0 {
        return sentence(draw);
    }
    let count = draw.between(2, 5);
    let mut words: Vec<String> = (0..count).map(|_| draw.word()).collect();
    match draw.below(5) {
        0 => words.push(draw.digits(1, 3)),
        1 => words = words.iter().map(|word| capital(word)).collect(),
        2 => words[0] = capital(&words[0]),
        _ => {}
    }
    words.join(" ")
}

fn token(draw: &mut Draw) -> String {
    let length = draw.between(16, 44);
    match draw.below(6) {
        0 => format!("{}_{}", draw.run(LOW, 3), draw.run(BASE62, length)),
        1 => draw.run(&format!("{BASE62}-_"), length) + "4x",
        2 => format!("{}=", draw.run(&format!("{BASE62}+/"), 43)),
        3 => draw.run("abcdefghijklmnopqrstuvwxyz0123456789", length),
        _ => draw.run(BASE62, length),
    }
}

fn code(draw: &mut Draw) -> String {
    let letters =
        ["0123456789", "ABCDEFGHJKLMNPQRSTUVWXYZ23456789", "abcdefghijkmnpqrstuvwxyz23456789"][draw.below(3)];
    let (groups, length) = (draw.between(1, 8), draw.between(3, 6));
    if groups == 1 {
        let length = draw.between(8, 12);
        return draw.run(letters, length - 1) + &draw.digits(1, 1);
    }
    if draw.below(6) == 0 {
        return format!("{}-{}", draw.run(letters, 4), draw.run(letters, 5));
    }
    (0..groups).map(|_| draw.run(letters, length)).collect::<Vec<_>>().join("-")
}

/// What is no secret, and was drawn or counted as secrets are.
fn number(draw: &mut Draw, gap: &str) -> Option<String> {
    Some(match gap {
        "sha" => draw.run(HEX, 40),
        "sha7" => draw.run(HEX, 7),
        "sha12" => draw.run(HEX, 12),
        "sha256" => draw.run(HEX, 64),
        "md5" => draw.run(HEX, 32),
        "hex6" => draw.run(HEX, 6),
        "hex10" => draw.run(HEX, 10),
        "hex16" => draw.run(HEX, 16),
        "hexid" => draw.run("0123456789ABCDEF", 16),
        "uuid" => [8, 4, 4, 4, 12].map(|length| draw.run(HEX, length)).join("-"),
        "date" => format!("202{}-{:02}-{:02}", draw.below(7), draw.between(1, 12), draw.between(1, 28)),
        "time" => format!("{:02}:{:02}:{:02}", draw.below(24), draw.below(60), draw.below(60)),
        "year" => draw.between(2015, 2027).to_string(),
        "ip" => format!("192.168.{}.{}", draw.below(250), draw.below(250)),
        "num" => draw.digits(2, 5).trim_start_matches('0').to_owned() + "1",
        "bignum" => draw.digits(8, 12),
        "acct" => draw.digits(12, 12),
        "small" => draw.between(2, 40).to_string(),
        "id" => format!(
            "{}{}",
            draw.of("req_ toolu_01 evt_1 cus_ ord_ msg_01 run_ txn_ usr_ key_ job- trace- ch_"),
            draw.run(BASE62, 22)
        ),
        "rand5" => draw.run("bcdfghjklmnpqrstvwxz2456789", 5),
        "rand6" => draw.run(BASE62, 6),
        "rand25" => draw.run("abcdefghijklmnopqrstuvwxyz0123456789", 25),
        "serial" => match draw.below(4) {
            0 => format!("{}-{}-{}", draw.run(CAPS, 2), draw.digits(4, 4), draw.run(CAPS, 1)),
            1 => format!("{}{}{}", draw.run(CAPS, 2), draw.digits(4, 6), draw.run(CAPS, 2)),
            2 => format!("SN{}", draw.run("0123456789ABCDEF", 10)),
            _ => format!("{}-{}", draw.run(CAPS, 3), draw.digits(5, 8)),
        },
        "pub" => draw.run(&format!("{BASE62}+/"), 43),
        _ => return None,
    })
}

/// What code, tickets and settings have.
fn word_of_code(draw: &mut Draw, gap: &str) -> Option<String> {
    Some(match gap {
        "ticket" => format!("{}-{}", draw.of("PROJ OPS SEC INFRA WEB BUG"), draw.digits(2, 5)),
        "branch" => format!(
            "{}/{}-{}",
            draw.of("fix feat feature chore bugfix"),
            draw.of("password token secret login key auth"),
            draw.of(PLAIN)
        ),
        "ident" => match draw.below(4) {
            0 => format!("{}_{}", draw.of(PLAIN), draw.of(PLAIN)),
            1 => format!("{}_{}_{}", draw.of(PLAIN), draw.of(PLAIN), draw.below(9)),
            2 => format!("{}_token", draw.of(PLAIN)),
            _ => draw.of(PLAIN).to_owned(),
        },
        "camel" => match draw.below(3) {
            0 => format!("{}{}", draw.of("get set load read make fetch parse use"), capital(draw.of(PLAIN))),
            1 => format!("{}{}2", capital(draw.of(PLAIN)), capital(draw.of(PLAIN))),
            _ => format!("{}{}", capital(draw.of(PLAIN)), capital(draw.of(PLAIN))),
        },
        "env" => draw.of(SERVICES).to_uppercase(),
        "region" => draw.of("eu-central-1 us-east-1 eu-west-3 ap-southeast-2 westeurope").to_owned(),
        "pkg" => format!(
            "{}{}-{}",
            ["", "@corp/", "lib", "node-"][draw.below(4)],
            draw.of("token auth jwt key secret pass crypto oauth2"),
            draw.of(PLAIN)
        ),
        "prod" => draw.of("PostgreSQL16 Python3 Ubuntu24.04 Windows11 ES2022 OAuth2 Log4j2 Neo4j IPv6 H264 Web3 Java21 Node20 MariaDB11 Log4Shell Base64 Sha256 Pbkdf2 Argon2id Rsa4096 Utf8 Html5 Vue3 Qt6 Symfony7").to_owned(),
        "prod2" => match draw.below(5) {
            0 => draw.of(DIGIT_NAMES).to_owned(),
            1 => format!("{}{}", draw.of(SERVICES), draw.digits(1, 2)),
            2 => format!("{}2{}", draw.of(PLAIN), draw.of(SERVICES)),
            3 => format!("{}-{}{}", draw.of(SERVICES), draw.of("v db node srv eu us k"), draw.digits(1, 2)),
            _ => draw.of(DIGIT_NAMES).to_owned(),
        },
        "talk" => draw.of(TALK).to_owned(),
        "lower" => draw.of(PLAIN).to_owned(),
        "cap" => draw.run(CAPS, 1),
        "ph" => match draw.below(12) {
            0 => "<password>".to_owned(),
            1 => "changeme".to_owned(),
            2 => "your-password-here".to_owned(),
            3 => "xxxxxxxx".to_owned(),
            4 => "********".to_owned(),
            5 => format!("${}_SECRET", draw.of(SERVICES).to_uppercase()),
            6 => "REPLACE_ME".to_owned(),
            7 => "example-password".to_owned(),
            8 => "YOUR_API_KEY".to_owned(),
            9 => "secret".to_owned(),
            10 => "<your token>".to_owned(),
            _ => "todo".to_owned(),
        },
        _ => return None,
    })
}

/// What is no secret, and may look like one.
fn name(draw: &mut Draw, gap: &str) -> Option<String> {
    let word = draw.word();
    let service = draw.of(SERVICES).to_owned();
    let first = draw.of(NAMES).to_owned();
    let low = first.to_lowercase();
    let two = format!("{:02}", draw.below(40));
    Some(match gap {
        "user" => match draw.below(8) {
            0 => format!("{}.{word}", &low[..1]),
            1 => format!("svc_{service}"),
            2 => format!("{low}{two}"),
            3 => format!("{service}-bot"),
            4 => "admin".to_owned(),
            5 => format!("{low}.{word}"),
            _ => low,
        },
        "host" => match draw.below(9) {
            0 => format!("{service}{two}"),
            1 => format!("{service}-{}", draw.below(9)),
            2 => format!("{word}.corp.lan"),
            3 => format!("db{}-replica-{two}", draw.below(9)),
            4 => format!("{service}.{word}.example.com"),
            5 => format!("node{two}"),
            6 => format!("srv-{word}-{two}"),
            7 => format!("10.{}.{}.{}", draw.below(250), draw.below(250), draw.below(250)),
            _ => format!("{word}-{service}-{two}"),
        },
        "svc" => match draw.below(5) {
            0 => format!("{service}-api"),
            1 => format!("{service}-{word}"),
            2 => format!("{service}_{}", draw.of(SERVICES)),
            _ => service,
        },
        "ssid" => match draw.below(6) {
            0 => format!("{}-Gast", capital(&word)),
            1 => format!("{}_5G", capital(&word)),
            2 => format!("{}-Guest-{two}", capital(&word)),
            3 => format!("{}Net24", capital(&word)),
            4 => format!("WLAN-{}", draw.run("0123456789ABCDEF", 6)),
            _ => capital(&word),
        },
        "url" => format!("https://{service}.{word}.example/{}", draw.of(PLAIN)),
        "path" => match draw.below(4) {
            0 => format!("/etc/{service}/{word}.conf"),
            1 => format!("~/.config/{service}/{word}"),
            2 => format!("secret/data/{service}"),
            _ => format!("src/{service}/{word}"),
        },
        "file" => format!(
            "{}{}.{}",
            draw.of(PLAIN),
            ["", "_test", "-v2", ".min"][draw.below(4)],
            draw.of("rs py js ts go md txt json yaml toml sh pem log sql")
        ),
        "ver" => format!(
            "{}{}.{}.{}{}",
            ["", "v", "^", "~"][draw.below(4)],
            draw.below(20),
            draw.below(30),
            draw.below(20),
            ["", "", "-rc1", "-beta.2"][draw.below(4)]
        ),
        "email" => format!("{low}@{word}.example"),
        "name" => first,
        _ => return number(draw, gap).or_else(|| word_of_code(draw, gap)),
    })
}

fn secret(draw: &mut Draw, gap: &str) -> Option<String> {
    Some(match gap.trim_end_matches(['2', '3']) {
        "pw" => password(draw),
        "pww" => format!("{}{}", draw.word(), draw.word()),
        "phrase" => phrase(draw),
        "tok" => token(draw),
        "hex" => {
            let length = draw.between(8, 32) * 2;
            draw.run(HEX, length)
        }
        "pin" => draw.digits(4, 8),
        "pins" => {
            let (count, length) = [(2, 3), (3, 2), (2, 4), (4, 1), (5, 1), (3, 3)][draw.below(6)];
            (0..count).map(|_| draw.run("0123456789", length)).collect::<Vec<_>>().join(" ")
        }
        "code" => code(draw),
        "dot" => joined(draw),
        "combo" => combination(draw),
        "door" => door(draw),
        _ => return None,
    })
}

/// Small words, joined: `two.words.or.more`.
fn joined(draw: &mut Draw) -> String {
    let count = draw.between(2, 5);
    let joint = ["-", ".", "_", "-", "."][draw.below(5)];
    let mut words: Vec<String> = (0..count).map(|_| draw.word()).collect();
    if draw.below(4) == 0 {
        words.insert(1, draw.of("the im and no of nach am in und my be a").to_owned());
    }
    if draw.below(4) == 0 {
        words.push(draw.digits(1, 3));
    }
    words.join(joint)
}

/// What a dial or a pairing screen takes.
fn combination(draw: &mut Draw) -> String {
    let joint = ["-", "-", " ", "/", "."][draw.below(5)];
    let lengths: &[usize] = [&[2, 2, 2][..], &[2, 2, 2, 2], &[3, 2, 3], &[4, 3, 4], &[3, 3]][draw.below(5)];
    lengths.iter().map(|length| draw.run("0123456789", *length)).collect::<Vec<_>>().join(joint)
}

/// What a door takes.
fn door(draw: &mut Draw) -> String {
    let digits = draw.digits(4, 6);
    match draw.below(6) {
        0 => format!("{digits}#"),
        1 => format!("*{digits}#"),
        2 => format!("{digits}{}", draw.run("ABCDE", 1)),
        3 => format!("{}{digits}", draw.run("ABCDE", 1)),
        _ => digits,
    }
}

/// A text and the secrets in it.
fn filled(template: &str, draw: &mut Draw, has_secrets: bool) -> (String, Vec<String>) {
    let template = template.replace("\\n", "\n").replace("\\t", "\t");
    let (mut text, mut secrets) = (String::new(), Vec::new());
    let mut rest = template.as_str();
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        let gap = rest[open + 1..].find('}').map(|close| &rest[open + 1..open + 1 + close]);
        let value = gap.and_then(|gap| {
            let secret = if has_secrets { secret(draw, gap) } else { None };
            secrets.extend(secret.clone());
            secret.or_else(|| name(draw, gap)).map(|value| (gap.len() + 2, value))
        });
        let (length, value) = value.unwrap_or_else(|| (1, "{".to_owned()));
        text.push_str(&value);
        rest = &rest[open + length..];
    }
    text.push_str(rest);
    // As it stands in a longer text.
    if draw.below(3) == 0 {
        text = format!("{text}\n{}", draw.of("ok done thanks Regards ... ---"));
    }
    (text, secrets)
}

/// Every text, `times` times.
pub(crate) fn all(times: usize) -> Vec<(String, Vec<String>)> {
    let mut texts = Vec::new();
    for (templates, has_secrets) in [(SECRETS, true), (HARMLESS, false)] {
        for (number, template) in templates.lines().filter(|line| !line.is_empty()).enumerate() {
            for time in 0..times {
                let seed = (number * 1_000 + time + 1) as u64;
                let mut draw = Draw(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
                (0..3).for_each(|_| {
                    draw.below(2);
                });
                texts.push(filled(template, &mut draw, has_secrets));
            }
        }
    }
    texts
}
