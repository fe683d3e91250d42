//! Directives: which sentences of the user direct the work, in whatever language, and which only bear on it.

use crate::decisions::contains_words;
use crate::markup;

/// How a sentence bears on the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bearing {
    /// It tells what to do or not to do: a rule, a prohibition, a preference, a correction.
    Directs,
    /// It may matter: it says what is not, what should be so, what always happens.
    Remarks,
    /// The same, of a line that was pasted.
    Pasted,
    Nothing,
}

/// Better a remark than a wrong rule: a form that directs, not a word that often stands in one.
pub(crate) fn bearing(sentence: &str) -> Bearing {
    let lower = markup::bare(sentence).to_lowercase().replace('’', "'");
    let is_question = is_question(&lower);
    if is_approval(&lower) || throughline_domain::text::word_count(&lower) < 2 {
        return Bearing::Nothing;
    }
    // "I'd like two things:" leaves it to what follows; "never mind", "no, this is fine" ask for nothing.
    let is_fine = lower.starts_with("no") && lower.contains(" fine") && !lower.contains("but");
    if lower.ends_with(':') || lower.starts_with("never mind") || is_fine {
        return if remarks(&lower) { Bearing::Remarks } else { Bearing::Nothing };
    }
    if asks_politely(&lower) {
        return Bearing::Directs;
    }
    if is_question {
        return Bearing::Nothing;
    }
    if is_code(sentence) {
        return if remarks(&lower) { Bearing::Pasted } else { Bearing::Nothing };
    }
    if !lower.contains("<-")
        && (commands(&lower) || obliges(&lower) || prefers(&lower) || corrects(&lower) || elsewhere(&lower))
    {
        return Bearing::Directs;
    }
    if remarks(&lower) { Bearing::Remarks } else { Bearing::Nothing }
}

/// Whether a sentence demands or forbids in so many words: what is said so in a long document is meant as a rule.
pub(crate) fn demands(sentence: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "never", "always", "must", "don't", "do not", "don’t", "only", "required", "avoid", "mandatory", "forbidden",
        "nie", "niemals", "immer", "nicht", "nunca", "siempre", "jamais", "toujours", "никогда", "всегда",
    ];
    let lower = sentence.to_lowercase();
    WORDS.iter().any(|word| contains_words(&lower, word))
        || ["不要", "必须", "禁止", "必ず", "절대"].iter().any(|it| lower.contains(it))
}

/// Whether a sentence that the user quotes bears on the work: a whole one, with a word that often directs.
pub(crate) fn quotes(sentence: &str) -> bool {
    throughline_domain::text::word_count(sentence) >= 4 && remarks(&sentence.to_lowercase())
}

fn is_question(lower: &str) -> bool {
    let end = lower.trim_end_matches(['"', '\'', ')', '*', '_', ' ', '!']);
    let asks =
        ["哪些", "什么", "吗", "如何", "怎么", "ですか", "ますか"].iter().any(|word| end.contains(word));
    end.ends_with(['?', '？']) || lower.starts_with('¿') || (!lower.is_ascii() && asks)
}

/// A line of a patch, a log or a comment that was pasted: somebody else's words.
fn is_code(sentence: &str) -> bool {
    #[rustfmt::skip]
    const LOGS: &[&str] = &[
        "[INFO]", "[WARN", "[ERROR", "[DEBUG", "[info]", "[warn", "[error", "[App]", "ERROR:", "WARNING:", "WARN:", "Warning:",
        "INFO:", "Error:", "error:", "at ", "$ ", "% ", "> ", "npm ", "DEBUG:", "Traceback",
    ];
    let start = sentence.trim_start_matches(['+', '-', ' ', '\t']);
    let is_prompt = sentence
        .split(' ')
        .next()
        .is_some_and(|word| word.contains('@') && word.contains(':') && word.ends_with(['$', '#', '%']));
    let is_marked = sentence.contains(['✗', '✓', '✔', '✅', '❌', '✘', '│']);
    if is_prompt || is_marked || LOGS.iter().any(|log| sentence.starts_with(log)) {
        return true;
    }
    let is_patch = sentence.starts_with("+  ") || sentence.starts_with("-  ") || sentence.starts_with("+\t");
    is_patch || ["{\"", "//", "/*", "#!", "<!--", "* @"].iter().any(|mark| start.starts_with(mark))
}

fn words(lower: &str) -> impl Iterator<Item = &str> {
    lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty())
}

/// Verbs and particles with which an order begins.
#[rustfmt::skip]
const ORDERS: &[&str] = &[
    "never ", "always ", "don't ", "dont ", "do not ", "avoid ", "use ", "keep ", "ensure ", "make sure",
    "be sure ", "remember ", "prefer ", "stop ", "leave ", "ignore ", "skip ", "only ", "rename ", "stick ",
    "no need ", "let's ", "lets ", "let us ", "must ", "instead,", "instead ",
];

/// A sentence that begins so tells; a verb behind its "and" is told as well.
const TELLS: &[&str] = &[
    "the", "this", "that", "these", "while", "when", "it", "they", "there", "a", "an", "in", "as", "for",
    "since", "because", "my", "our",
];

/// "Never …", "then don't commit", "so let's keep the name": a clause that begins as an order.
fn commands(lower: &str) -> bool {
    if words(lower).any(|word| matches!(word, "please" | "pls" | "plz")) {
        return true;
    }
    let is_told = words(behind_lead_in(lower)).next().is_some_and(|first| TELLS.contains(&first));
    let mut before = "";
    for (joint, clause) in clauses(lower) {
        let clause = behind_lead_in(clause);
        let is_order = ORDERS.iter().any(|order| clause.starts_with(order)) && !is_idle(clause);
        // "we use x but don't y": the verb behind "but" has its subject before it.
        let has_subject = || {
            words(before).any(|word| {
                matches!(word, "i" | "we" | "they" | "it" | "you" | "he" | "she" | "which" | "who" | "that")
            })
        };
        let is_bound = joint == Joint::Word && !clause.starts_with("let") && (is_told || has_subject());
        if is_order && !is_bound {
            return true;
        }
        before = clause;
    }
    false
}

/// "Let's me choose" is no proposal; "let's move on" and "keep going" order nothing.
fn is_idle(clause: &str) -> bool {
    clause.starts_with("let's say ")
        || clause.starts_with("let's me ")
        || clause.starts_with("lets me ")
        || clause.starts_with("leave a ") && clause.ends_with("for now")
        || is_approval(clause)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    Mark,
    Word,
}

/// The clauses of a sentence, with how each is joined to the one before.
fn clauses(lower: &str) -> Vec<(Joint, &str)> {
    const MARKS: &[&str] = &[", ", "; ", ": ", " - ", " — ", " – ", "(", "...", "…", "，", "；", "："];
    const WORDS: &[&str] = &[" but ", " and ", " so ", " then "];
    let mut found = vec![(Joint::Mark, lower)];
    for (joints, kind) in [(MARKS, Joint::Mark), (WORDS, Joint::Word)] {
        for joint in joints {
            found = found
                .into_iter()
                .flat_map(|(first, clause)| {
                    let parts = clause.split(joint).enumerate();
                    parts
                        .map(move |(at, part)| (if at == 0 { first } else { kind }, part))
                        .collect::<Vec<_>>()
                })
                .collect();
        }
    }
    found
}

/// The clause without the words that only lead to it.
fn behind_lead_in(clause: &str) -> &str {
    #[rustfmt::skip]
    const LEADS: &[&str] = &[
        "ok", "okay", "yes", "yeah", "yep", "no", "nope", "and", "but", "so", "then", "also", "now", "just", "again",
        "well", "actually", "first", "otherwise", "btw", "hey", "for now", "in general", "of course", "at least",
        "from now on", "note that", "i mean", "can you", "could you", "you", "we",
    ];
    let mut rest = clause.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '/');
    // `/plan use …`: the words behind a slash command.
    if rest.starts_with('/') {
        rest = rest.split_once(' ').map_or("", |(_, behind)| behind);
    }
    loop {
        // "you must", "we must" oblige; "you use", "we keep" tell: only what cannot be told so is left behind them.
        let next =
            LEADS.iter().find_map(|lead| rest.strip_prefix(lead)?.strip_prefix([' ', ',', '.', '!', ':']));
        let Some(next) = next else { return rest };
        let next = next.trim_start();
        let told = rest.starts_with("you ") || rest.starts_with("we ");
        if told && !["never ", "must ", "always "].iter().any(|word| next.starts_with(word)) {
            return rest;
        }
        rest = next;
    }
}

/// "It must …", "the list should show …", "we need to …".
fn obliges(lower: &str) -> bool {
    #[rustfmt::skip]
    const MODALS: &[&str] = &[
        "must", "mustn't", "should", "shouldn't", "has to", "have to", "needs to", "need to", "needs to be",
    ];
    // "Should be fine", "must be the cache": a guess, no wish.
    #[rustfmt::skip]
    const GUESSES: &[&str] = &[
        "should be better", "should be fine", "should be good", "should be ok", "should be working", "should be done",
        "should be there", "should be enough", "should be able", "should be ready", "should be in ", "should be possible",
        "should be easy", "should have ", "should've", "must have ", "must be the ", "must be a ", "must be some",
        "must be because", "must be due", "should i ", "should we ", "i should", "i need to", "i have to", "i must",
        "not sure", "i wonder", "should work", "should already", "do i ", "does it ", "shouldn't be a problem",
    ];
    const STARTS: &[&str] = &["why ", "what ", "if ", "when ", "like ", "how ", "whether ", "who ", "where "];
    MODALS.iter().any(|modal| contains_words(lower, modal))
        && !GUESSES.iter().any(|guess| lower.contains(guess))
        && !STARTS.iter().any(|start| lower.starts_with(start))
}

/// "I want …", "I'd rather …", "… instead".
fn prefers(lower: &str) -> bool {
    #[rustfmt::skip]
    const SAYS: &[&str] = &[
        "i want", "we want", "i'd like", "i would like", "i'd prefer", "i prefer", "i'd rather", "i don't want",
        "we don't want", "i do not want", "we don't need", "you don't need", "don't think we need",
        "don't think we should", "don't think it should", "don't think you should", "no need to", "i need you to",
        "make sure", "to not",
    ];
    // "It returned x instead of y" reports.
    const REPORTS: &[&str] = &[
        "return", "show", "give", "gave", "got", "get", "is", "was", "are", "were", "seem", "print", "happen",
    ];
    let reports = || {
        words(lower).any(|word| {
            REPORTS.iter().any(|it| {
                word == *it || ["s", "ed", "es"].iter().any(|end| word.strip_suffix(end) == Some(it))
            })
        })
    };
    SAYS.iter().any(|says| contains_words(lower, says))
        || lower.trim_end_matches(['.', '!', ' ']).ends_with(" instead")
        || (lower.contains("instead of") && !reports())
}

/// "No, …", "that's wrong", "I did not say …".
fn corrects(lower: &str) -> bool {
    #[rustfmt::skip]
    const STARTS: &[&str] = &[
        "no,", "no.", "nope", "actually,", "wrong", "that's not", "that is not", "that isn't", "this is wrong",
        "that's wrong", "i didn't say", "i did not say", "not what i", "i said ", "i meant ",
    ];
    STARTS.iter().any(|start| lower.starts_with(start))
        || ["i didn't say", "i did not say", "i didn't ask", "i did not ask"]
            .iter()
            .any(|it| lower.contains(it))
}

/// "Can you use tabs?": an order in the form of a question.
fn asks_politely(lower: &str) -> bool {
    #[rustfmt::skip]
    const ASKED: &[&str] = &[
        "not ", "never ", "always ", "use ", "keep ", "avoid ", "make sure", "ensure ", "stop ", "only ", "leave ",
        "skip ", "ignore ", "rename ", "remember ", "prefer ", "please ",
    ];
    let rest = ["can you ", "could you ", "would you ", "will you ", "can we ", "could we "]
        .iter()
        .find_map(|start| behind_lead_in_of_question(lower).strip_prefix(start));
    let rest = rest.map(|rest| rest.strip_prefix("please ").or(rest.strip_prefix("just ")).unwrap_or(rest));
    rest.is_some_and(|rest| ASKED.iter().any(|word| rest.starts_with(word)))
}

fn behind_lead_in_of_question(lower: &str) -> &str {
    ["ok", "okay", "yes", "and", "also", "so", "then", "no"].iter().fold(lower, |rest, word| {
        rest.strip_prefix(word).and_then(|rest| rest.strip_prefix([',', ' '])).map_or(rest, str::trim_start)
    })
}

/// The same in other languages: words that hardly stand in a sentence that only tells.
fn elsewhere(lower: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        // German
        "bitte", "niemals", "stattdessen", "verwende", "benutze", "nutze", "auf keinen fall", "darf nicht",
        "dürfen nicht", "soll nicht", "sollen nicht", "sollst nicht", "soll", "sollte", "sollen", "muss", "müssen",
        "achte darauf", "stelle sicher", "stell sicher", "vermeide", "statt", "anstatt", "ich möchte", "ich will",
        // Spanish
        "por favor", "nunca", "no uses", "no hagas", "no toques", "no cambies", "no borres", "no modifiques",
        "no añadas", "no elimines", "no rompas", "usa", "utiliza", "evita", "asegúrate", "en vez de", "en lugar de",
        "debe", "debes", "deben", "quiero que",
        // French
        "s'il te plaît", "s'il vous plaît", "stp", "svp", "ne jamais", "n'utilise pas", "n'utilisez pas", "utilise",
        "utilisez", "évite", "évitez", "assure-toi", "assurez-vous", "au lieu de", "plutôt que", "il faut", "doit",
        "doivent", "je veux", "je voudrais", "ne touche pas", "ne change pas", "ne modifie pas",
        // Portuguese, Italian
        "não use", "não faça", "não altere", "não mexa", "não mude", "evite", "certifique-se", "em vez de",
        "ao invés de", "deve", "devem", "per favore", "non usare", "non modificare", "non toccare", "assicurati",
        "invece di",
        // Turkish, Polish, Vietnamese
        "lütfen", "asla", "kullanma", "yerine", "proszę", "zamiast", "nie używaj", "đừng", "vui lòng",
        // Russian
        "пожалуйста", "никогда", "не надо", "не нужно", "используй", "используйте", "вместо", "нужно", "должен",
        "должно", "должна", "должны", "обязательно", "не трогай", "не меняй",
    ];
    // Written without spaces: wherever it stands.
    #[rustfmt::skip]
    const WITHIN: &[&str] = &[
        // Chinese
        "不要", "必须", "请", "不能", "不得", "禁止", "务必", "应该", "改用", "而不是", "一定要", "只能", "记得", "避免", "不需要",
        "不用", "請", "必須", "應該",
        // Japanese
        "ください", "下さい", "しないで", "必ず", "べき", "代わりに", "ではなく", "てはいけない", "てほしい", "して欲しい",
        // Korean
        "하지 마", "하지마", "마세요", "반드시", "주세요", "대신", "해줘", "금지", "항상",
    ];
    const STARTS: &[&str] =
        &["kein ", "keine ", "nur ", "nie ", "immer ", "siempre ", "toujours ", "sempre ", "别", "別"];
    !lower.is_ascii() && WITHIN.iter().any(|word| lower.contains(word))
        || WORDS.iter().any(|word| contains_words(lower, word))
        || clauses(lower).iter().any(|(_, clause)| STARTS.iter().any(|start| clause.starts_with(start)))
}

/// Words that often stand where something is directed.
fn remarks(lower: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "never", "always", "must", "should", "shouldn't", "instead", "only", "not", "don't", "dont", "use", "keep",
        "avoid", "remember", "prefer", "ensure", "mustn't", "stop", "leave", "rather", "needs", "let's", "lets",
        "rename", "ignore", "skip", "want", "need", "please",
    ];
    words(lower).any(|word| WORDS.contains(&word)) || lower.contains("make sure")
}

/// "Yes please", "please go ahead", "keep going": kept as words, no rule to follow later.
fn is_approval(lower: &str) -> bool {
    #[rustfmt::skip]
    const FILLERS: &[&str] = &[
        "yes", "yeah", "yep", "ok", "okay", "sure", "please", "do", "it", "that", "this", "go", "ahead", "going",
        "proceed", "continue", "sounds", "good", "let's", "lets", "pls", "apply", "now", "for", "keep", "give", "a",
        "try", "move", "on", "both", "all", "thanks", "thank", "you", "great", "cool", "perfect", "fix", "commit",
        "and", "push", "i've", "done", "with", "the", "then",
    ];
    words(lower).all(|word| FILLERS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_directs_is_told_by_its_form() {
        for sentence in [
            "Never call unwrap() in lib.rs.",
            "- use memchr instead of regex",
            "Write the plan to a temporary file, don't commit.",
            "yes, but keep the old name",
            "ok, the conflict is not great, so let's stick to the old name",
            "Only one proposal for the 3 steps",
            "`list` should show a visual hierarchy of branches",
            "we need to change /pkg/a to /a",
            "I'd rather have one file",
            "I don't want any new dependency here",
            "I don't think we need suffixes",
            "no, I did not say commit anything",
            "Can you use tabs?",
            "Can we not commit the docs?",
            "please update 5/6",
            "/plan use subagents",
            "why don't you just clone it instead",
        ] {
            assert_eq!(bearing(sentence), Bearing::Directs, "{sentence}");
        }
    }

    #[test]
    fn a_word_that_often_directs_makes_no_directive() {
        for sentence in [
            "I don't think the reviewer would have been making commits.",
            "That said, it's currently not working.",
            "the network should be better now",
            "can you review it, I'm concerned about where we use `git add` but don't change the tree",
            "it somehow always lists these under each branch",
            "It returned the head instead of the tail.",
            "It does not run as a daemon.",
            "\"if files overlap\" <- I don't understand what you mean",
            "it must be the cache",
        ] {
            assert_eq!(bearing(sentence), Bearing::Remarks, "{sentence}");
        }
        for sentence in
            ["yes please", "keep going", "yeah, let's give it a try", "is it not enough?", "It is a map."]
        {
            assert_eq!(bearing(sentence), Bearing::Nothing, "{sentence}");
        }
    }

    #[test]
    fn what_was_pasted_is_nobodys_directive() {
        for sentence in [
            "+       // Always written as \"steps\" in new metadata.",
            "[WARN] module not loaded, use another",
            "dev@host:~$ never",
            "• AVX-512: ✗ Not available",
        ] {
            assert_eq!(bearing(sentence), Bearing::Pasted, "{sentence}");
        }
    }

    #[test]
    fn other_languages_direct_as_well() {
        for sentence in [
            "Bitte keine neuen Abhängigkeiten.",
            "Verwende Tabs statt Leerzeichen.",
            "Das darf nicht in main landen.",
            "No uses la API pública.",
            "Usa pnpm en lugar de npm.",
            "N'utilise pas de regex ici.",
            "Il faut garder l'ancien nom.",
            "Não altere o esquema do banco.",
            "Non modificare il file di configurazione.",
            "Пожалуйста, не трогай конфиг.",
            "不要修改公共接口",
            "请使用 pnpm",
            "mainには直接pushしないでください",
            "공개 API는 바꾸지 마세요",
            "Lütfen testleri çalıştır.",
        ] {
            assert_eq!(bearing(sentence), Bearing::Directs, "{sentence}");
        }
        for sentence in ["Das ist eine Karte.", "Es un mapa.", "这是一张地图", "これは地図です"]
        {
            assert_eq!(bearing(sentence), Bearing::Nothing, "{sentence}");
        }
    }
}
