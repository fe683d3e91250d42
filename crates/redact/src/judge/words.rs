//! Words around a value, sorted by what they say of it.

/// Classes of words, as bits.
pub(super) mod class {
    /// Right before a value: `is`, `lautet`.
    pub(in super::super) const LINK: u16 = 1;
    /// Who: `user`, `login`.
    pub(in super::super) const WHO: u16 = 1 << 1;
    /// What has to be, or may not: `must`, `characters`.
    pub(in super::super) const DUTY: u16 = 1 << 2;
    /// Somebody gives it away: `here`, `share`, `temporary`.
    pub(in super::super) const GIVEN: u16 = 1 << 3;
    /// What everybody may know: `sha256`, `commit`, `public`.
    pub(in super::super) const PUBLIC: u16 = 1 << 4;
    /// What went wrong, or is to be done: `forgot`, `expired`, `rotate`.
    pub(in super::super) const EVENT: u16 = 1 << 5;
    /// `example`, `placeholder`.
    pub(in super::super) const EXAMPLE: u16 = 1 << 6;
    /// `type`, `enter`, `use`.
    pub(in super::super) const ENTER: u16 = 1 << 7;
    /// `for`, `on`, `at`: a place follows.
    pub(in super::super) const PLACE: u16 = 1 << 8;
    /// What sentences have and values have not.
    pub(in super::super) const STOP: u16 = 1 << 9;
    /// The next word is the name of something: `host`, `file`, `branch`.
    pub(in super::super) const NOUN: u16 = 1 << 10;
    /// Behind a word that says secret it makes another thing of it: `reset`, `policy`.
    pub(in super::super) const HEAD: u16 = 1 << 11;
    /// Somebody wants it: `asks`, `verlangt`.
    pub(in super::super) const ASK: u16 = 1 << 12;
    /// Somebody set or gave it: `changed`, `gesetzt`, `typed`.
    pub(in super::super) const SETTLED: u16 = 1 << 13;
    /// What is opened: `safe`, `Tresor`, `keypad`.
    pub(in super::super) const DEVICE: u16 = 1 << 14;
    /// That it was another one: `old`, `früher`.
    pub(in super::super) const OLD: u16 = 1 << 15;
}

/// Longest word of the lists, in bytes.
const WORD_BYTES_MAX: usize = 24;

const LINK: &str = "is are was be becomes became now still equals reads says being will ist lautet lauten heißt war wäre sei bleibt est était c'est devient es era será son é è foi era jest był är er on este là adalah ialah ay je glasi olarak olacak هي هو है ہے היא הוא คือ это це було тепер sono sarà passwordul bude oli nu nyt teraz ahora agora jetzt maintenant sekarang i.e ie value to auf von as with from wert valeur valor valore с на як как becoming mit avec con com met med namely nämlich i.e. also also: genau exactly literally just";
const WHO: &str = "user users username usr login account email e-mail mail admin root id uid name ssid network benutzer benutzername nutzer konto anmeldung anmeldename usuario usuário utilisateur identifiant compte utente conto логин пользователь gebruiker gebruikersnaam użytkownik kullanıcı käyttäjä användare bruger bruker uživatel felhasználó 用户名 账号 帐号 帳號 ユーザー名 ユーザ 아이디 사용자 identificador cuenta conta";
const DUTY: &str = "must should shall may least characters character chars long length minimum maximum min max required require requires contain contains policy strength never always cannot muss müssen soll sollte mindestens zeichen darf nie niemals immer doit doivent caractères moins debe deben caracteres menos mínimo deve devono caratteri almeno moet tekens minst tegn tecken znaków musi должен символов обязательно necessary allowed forbidden optional mandatory every each any same different strong weak unique complex";
const GIVEN: &str = "here share please temporary temp initial one-time current real really actual new dictated secretly whisper hier bitte neu neue neues neuer vorläufig vorläufiges aktuell aktuelle echte voici nouveau nouvelle provisoire temporaire aquí nueva nuevo temporal provisional ecco nuova nuovo provvisoria nieuw nieuwe tijdelijk ny nytt nya nowe nowy новый новая временный temporär erstes merk notiere copy paste dont don't spread yes ja sí oui lowercase uppercase spaces leerzeichen capital blank";
const PUBLIC: &str = "sku asin isbn ean article artikelnummer part h1 zh ssh-ed25519 ssh-rsa ecdsa-sha2-nistp256 ed25519 rsa blob tree submodule txt cache cached restored certificate cert thumbprint pubkey publickey known_hosts etag ja3 nonce x-request-id request-id traceparent trace_id span_id event_id base64 png image/png sha1sum md5sum sha256sum narhash resolved gpg keyid kid arn imei iban sha sha1 sha256 sha512 md5 checksum digest hash hashes commit commits fingerprint public pub publishable revision rev merge branch tag version ver release etag integrity signature uuid guid order invoice ticket issue tracking serial model build artifact image layer container pod deployment request trace span run job pull pr bug öffentlich öffentlicher publique pública pubblica публичный bestellung rechnung seriennummer kundennummer auftrag";
const EVENT: &str = "forgot forget forgotten lost reset resetting rotate rotated rotation rotates expired expires expire expiry expiring invalid incorrect wrong missing failed fails failing failure revoked revoke leaked change changed changes update updated remove removed delete deleted ask asks asked asking prompt prompts prompted store stored stores save saved vergessen abgelaufen falsch ungültig geändert ändern fehlt zurücksetzen oublié expiré incorrecte incorrect invalide olvidó olvidada caducado incorrecta esqueceu expirou incorreta dimenticata scaduta errata sbagliata vergeten verlopen onjuist glömt utgått fel zapomniane wygasło забыли истек неверный need needs why how what where which whether count counted encrypted hashed masked hidden siehe see voir véase ver vedi zie zobacz viz см ask frag fragen zapytaj demandez demander pregunta pregúntale chiedi vraag fråga spør obligatoire obligatoria obbligatoria verplicht wymagane wymagany povinné kötelező zorunlu требуется pflichtfeld erforderlich communiqué nieprawidłowe nieprawidłowy niepoprawne inválida inválido incorrecto felaktigt pogrešno napačno imeti vsaj mora moraju musí obsahovat alespoň legalább kell contenir contener contenere steht liegt hängt kommt folgt wird werden separately unchanged unverändert unknown unbekannt known bekannt";
const EXAMPLE: &str = "example examples sample placeholder dummy fake mock e.g eg beispiel zum bsp exemple ejemplo exemplo esempio voorbeeld todo tbd redacted like such format looks documentation docs readme default";
const ENTER: &str = "type enter use try using put give set sets input answer paste tippe tippen gib eingeben nimm nutze verwende verwenden geben tape tapez saisir utilise utilisez usa usar use escribe introduce digite digita inserisci usare typ voer gebruik skriv använd brug wpisz użyj введи введите используй вводи 使用 输入 入力 login unlock unlocks opens open öffnet entsperrt ouvre abre apre connect join decrypt";
const PLACE: &str = "for on at in of into under by via über für an bei im am vom unter pour sur dans du à para por em no na del per di del su voor op bij van för på til i w do od для в от к по after before since until against nach vor seit";
const NOUN: &str = "host hosts hostname server machine node device box file files datei archivo fichier page label script vault item entry eintrag database db table column branch room raum namespace bucket repo repository project version port team group role manager cluster module release servidor serveur rechner path folder ordner dir directory url uri region zone app application service dienst environment env stage package crate library line zeile field feld key called named namens appelé llamado chiamato function class method variable type kind ssid network netz wlan endpoint api route table test step phase section chapter kapitel";
const HEAD: &str = "reset resets policy policies manager managers hash hashes hashing field fields length strength file files rotation rotations expiry expiration count counts counter limit limits store storage helper helpers provider providers prompt prompts input inputs box form forms page screen dialog generator change changes recovery protected protection authentication auth check checks checker validation validator verification rule rules hint hints reuse sharing safe vault database list lists name names type types bucket buckets exchange endpoint refresh handling cache usage cost costs budget window stream parser lexer based bearer free only less scanning scanner detection leak leaks management santa garden agent service services sauce ingredient handshake pair pairs press board chain stone note word words value values size sizes sets binding bindings stroke event code events id ids index schema property properties attribute column columns";

const STOP: &str = "e i och og dann aber because weil als fürs the a an is are was were be been of for to in on at by with from and or not no it its this that these those your you my our their his her we they he she i me must should can will may has have had does do did if when then than as so but only per via und oder nicht noch nie der die das den dem des ein eine einen ist zu zum zur von vom für mit im am auf bei wird wurde werden sind nur le la les de du des et un une pour el los las y en que por il lo di da os het een prompt there here who what which how why where please again yet already still und wenn dass du ich wir ihr sie er es mir dir uns euch ihm ihn";

const ASK: &str = "ask asks asked asking prompt prompts prompted wants wanted want demands requests requested expects takes accepts fragt gefragt fragte verlangt verlangte will wollte möchte abfrage nachfragt demande demandait pide pidió chiede vraagt vroeg pyta zapyta frågar spør kysyy спрашивает спросит просит pergunta pede sorar ister zeptá kéri prompting need needs";
const SETTLED: &str = "set sets changed change typed type entered enter reset picked pick chose chosen chooses settled assigned gave given put switched rotated renamed reverted remains stays stay became turned gesetzt geändert geaendert eingegeben eingetippt getippt vergeben gewählt gesetzt hinterlegt eingetragen umgestellt zurückgesetzt gelegt festgelegt geworden bleibt bleiben gilt galt nehmen genommen genutzt benutzt verwendet mis mise changé modifié choisi tapé saisi défini puse cambié cambiado cambiada quedó quedo puesto elegí cambiata cambiato messo messa scelto impostato mudei alterei coloquei trocada veranderd gezet gekozen ingesteld ändrade bytte satt valde skiftede ændrede vaihdoin zmieniłem zmieniono ustawiłem ustawiono změnil nastavil изменил поменял поставил сменил установил ввёл ввел değiştirdim yaptım diganti ubah works worked";
const DEVICE: &str = "safe tresor keypad door gate garage alarm alarmanlage lock padlock locker spind schrank schloss zahlenschloss haustür tür tor rolltor eingang schließanlage router fritzbox nas wifi wi-fi wlan tablet phone handy smartphone laptop notebook rechner ipad iphone kiosk printer drucker sim suitcase koffer briefcase bike fahrrad panel intercom voicemail mailbox card karte ec-karte bank account coffre portail porte digicode caja portón puerta cassaforte cancello porta cofre portão kluis poort deur sejf brama drzwi grind dörr kassaskåp сейф ворота дверь замок trezor kapu széf kasa combo combination kombination combinación combinazione combinaison";
const OLD: &str = "old older previous previously former formerly earlier originally once before used instead früher vorher bisher alte alter altes alten statt anstatt bis gestern ehemals ancien ancienne avant auparavant vieux antes antigua antiguo anterior vecchia vecchio prima precedente antiga antigo oud oude vroeger eerst stary stare dawniej gammal gamla tidigare gammelt staré dříve раньше старый старая прежний régi eski";

const LISTS: [(&str, u16); 17] = [
    (LINK, class::LINK),
    (WHO, class::WHO),
    (DUTY, class::DUTY),
    (GIVEN, class::GIVEN),
    (PUBLIC, class::PUBLIC),
    (EVENT, class::EVENT),
    (EXAMPLE, class::EXAMPLE),
    (ENTER, class::ENTER),
    (PLACE, class::PLACE),
    (NOUN, class::NOUN),
    (HEAD, class::HEAD),
    (STOP, class::STOP),
    (ASK, class::ASK),
    (SETTLED, class::SETTLED),
    (DEVICE, class::DEVICE),
    (OLD, class::OLD),
    ("", 0),
];

/// Buckets of the table of words, by hash.
const BUCKETS: usize = 1 << 12;

struct Table {
    /// The hash of the word in a bucket, and its classes; no classes where there is none.
    slots: [(u32, u16); BUCKETS],
}

static TABLE: Table = table();

const fn hash(bytes: &[u8]) -> u32 {
    let mut sum = 0x811C_9DC5_u32;
    let mut at = 0;
    while at < bytes.len() {
        let byte = if bytes[at].is_ascii_uppercase() { bytes[at] | 32 } else { bytes[at] };
        sum = (sum ^ byte as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    sum ^ sum >> 15
}

#[expect(clippy::large_stack_arrays, reason = "worked out when the program is built")]
const fn table() -> Table {
    let mut slots = [(0_u32, 0_u16); BUCKETS];
    let mut list = 0;
    while list < LISTS.len() {
        let bytes = LISTS[list].0.as_bytes();
        let (mut start, mut at) = (0, 0);
        while at <= bytes.len() {
            if at == bytes.len() || bytes[at] == b' ' {
                if at > start {
                    let word = hash(bytes.split_at(at).0.split_at(start).1);
                    let mut slot = word as usize % BUCKETS;
                    while slots[slot].1 != 0 && slots[slot].0 != word {
                        slot = (slot + 1) % BUCKETS;
                    }
                    slots[slot] = (word, slots[slot].1 | LISTS[list].1);
                }
                start = at + 1;
            }
            at += 1;
        }
        list += 1;
    }
    Table { slots }
}

/// Parts of a name that are looked up.
const PARTS_MAX: usize = 4;

/// What a word says, and of a name of several words what these say of the thing.
pub(super) fn classes(word: &str) -> u16 {
    let whole = classes_of(word);
    let is_joined = |letter: char| matches!(letter, '/' | '_' | '-' | '.');
    if whole != 0 || word.len() > 2 * WORD_BYTES_MAX || !word.contains(is_joined) {
        return whole;
    }
    let of_things = class::WHO | class::PUBLIC | class::NOUN | class::HEAD | class::EXAMPLE | class::DEVICE;
    word.split(is_joined).take(PARTS_MAX).fold(0, |all, part| all | classes_of(part) & of_things)
}

/// By its hash alone: a word in four million is taken for another, which no value hangs on.
fn classes_of(word: &str) -> u16 {
    let is_sign = |byte: Option<&u8>| matches!(byte, Some(b'-' | b'.' | b',' | b'!' | b'?'));
    let bytes = word.as_bytes();
    let word = if is_sign(bytes.first()) || is_sign(bytes.last()) {
        word.trim_matches('-').trim_end_matches(['.', ',', '!', '?'])
    } else {
        word
    };
    if word.is_empty() || word.len() > WORD_BYTES_MAX {
        return 0;
    }
    let hash = hash(word.as_bytes());
    let mut slot = hash as usize % BUCKETS;
    while TABLE.slots[slot].1 != 0 {
        if TABLE.slots[slot].0 == hash {
            return TABLE.slots[slot].1;
        }
        slot = (slot + 1) % BUCKETS;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_by_what_they_say() {
        assert!(classes("lautet") & class::LINK != 0 && classes("Is") & class::LINK != 0);
        assert!(classes("reset") & class::HEAD != 0 && classes("reset") & class::EVENT != 0);
        assert_eq!((classes("Hw!7treacle"), classes(""), classes(&"a".repeat(99))), (0, 0, 0));
    }
}
