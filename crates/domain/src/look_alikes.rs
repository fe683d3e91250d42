//! Look-alikes: letters of other alphabets and forms, folded to the plain ones that a reader takes them for.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Letters, and what is easily taken for them beside their compatibility forms. Two letters that pass for one another
/// are one class: `i` stands for `l`, `1` and `|` as well.
#[rustfmt::skip]
const ALIKE: &[(char, &str)] = &[
    ('a', "аαɑ⍺АΑᎪᗅꓮⲀⲁᴀꭺ"),
    ('b', "ьЬвВβΒƅᏏᖯᏴᗷꓐⲂʙ"),
    ('c', "сϲСϹᏟꓚⲤⲥᴄꮯ"),
    ('d', "ԁᏧᑯꓒᎠᗞꓓᴅđÐĐɗ"),
    ('e', "еєэЕΕεҽᎬꓰⲈⲉᴇ℮⋿ɛ"),
    ('f', "ꞙẝքϝϜꓝꜰƒ"),
    ('g', "ɡցɢԌᏀꓖᶃǥ"),
    ('h', "һհНΗᎻᕼꓧⲎʜħĦᏂнɦ"),
    ('i', "іιІΙɩɪıӏӀǀᎥꙇⵏ∣ןᛁꓲ│┃ߊłŁᏞꓡᒪⳐʟƖɫ¡ɭ"),
    ('k', "кКκΚᏦꓗⲔⲕᴋ"),
    ('n', "ոռпνΝꓠⲚɴηᴨҥŋ"),
    ('o', "оОοΟօՕσᴏଠ০ⵔꓳⲞⲟჿ〇ംøØ๐໐"),
    ('p', "рРρΡϱᏢᑭꓑⲢⲣᴘ"),
    ('r', "гГᴦꭇⲅʀᎡᖇꓣɾɍ"),
    ('s', "ѕЅꜱƽՏᏕᏚꓢꮪ"),
    ('t', "тТτΤᴛᎢꓔⲦⲧŧŦ†ƭ"),
    ('u', "υսՍᴜꭎʋꓴᑌ∪ц"),
    ('v', "ѵѴᴠᏙꓦ⋁∨"),
    ('w', "ѡԝԜաᴡωꮃᏔꓪш"),
    ('y', "уУүҮγΥყʏᎩꓬⲨⲩ"),
    ('-', "‐‑‒–—―−⁃˗➖⸺ー·•‗"),
    ('/', "∕⁄⧸╱⟋㇓ノ丿"),
];

/// The bracket that a character is taken for: `[` or `<`.
///
/// ```
/// use throughline_domain::look_alikes::bracket;
/// assert_eq!(['[', '［', '【', '＜', '⟨', '('].map(bracket), [Some('['), Some('['), Some('['), Some('<'), Some('<'), None]);
/// ```
#[must_use]
pub fn bracket(c: char) -> Option<char> {
    match c {
        '[' | '［' | '〔' | '【' | '〖' | '〚' | '⟦' | '❲' | '⁅' | '⦋' | '⦍' | '⦏' | '﹇' | '﹝' | '「' => {
            Some('[')
        }
        '<' | '＜' | '﹤' | '‹' | '\u{2329}' | '\u{3008}' | '⟨' | '❮' | '❬' | '˂' | 'ᐸ' | '⧼' | '≺' | '«'
        | '《' => Some('<'),
        _ => None,
    }
}

/// What a text looks like: lower case, without marks on letters, spaces and look-alikes. `m` and `w` are spelt out
/// (`rn`, `vv`), for they pass for those. Only for comparing: both sides have to be folded.
///
/// ```
/// use throughline_domain::look_alikes::skeleton;
/// let folded = |text: &str| skeleton(text).collect::<String>();
/// assert_eq!(folded("thrоugհIine"), folded("throughline"));
/// assert_eq!(folded("t\u{338}𝐡ｒⓞ🅤g̲h 𝓵ïռe"), folded("THROUGHLINE"));
/// assert_eq!(folded("systern"), folded("system"));
/// assert_ne!(folded("throughput"), folded("throughline"));
/// ```
pub fn skeleton(text: &str) -> impl Iterator<Item = char> + '_ {
    let plain = text.chars().map(of_emoji_alphabets).nfkd();
    let plain =
        plain.filter(|c| !is_combining_mark(*c) && !c.is_whitespace() && !crate::unseen::is_unseen(*c));
    plain.flat_map(char::to_lowercase).flat_map(|c| {
        let (first, second) = match folded(c) {
            'm' | 'м' | 'ᴍ' | 'μ' | 'ϻ' | 'ꓟ' | 'Ꮇ' | 'ᗰ' | 'ⲙ' => ('r', Some('n')),
            'w' => ('v', Some('v')),
            c => (c, None),
        };
        std::iter::once(first).chain(second)
    })
}

/// Letters in boxes and circles that have no plain form in the tables, and those that flags are made of.
fn of_emoji_alphabets(c: char) -> char {
    let first = match c {
        '\u{1f150}'..='\u{1f169}' => 0x1_f150,
        '\u{1f170}'..='\u{1f189}' => 0x1_f170,
        '\u{1f1e6}'..='\u{1f1ff}' => 0x1_f1e6,
        _ => return c,
    };
    char::from_u32(u32::from('a') + u32::from(c) - first).unwrap_or(c)
}

fn folded(c: char) -> char {
    if c.is_ascii() {
        return match c {
            'l' | '1' | '|' | '!' => 'i',
            '@' | '4' => 'a',
            '3' => 'e',
            '0' => 'o',
            '5' | '$' => 's',
            '_' | '~' => '-',
            '\\' => '/',
            c => c,
        };
    }
    ALIKE.iter().find(|(_, alike)| alike.contains(c)).map_or(c, |(plain, _)| *plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_one_letter_for_each_character() {
        let mut seen = std::collections::BTreeMap::new();
        for (plain, alike) in ALIKE {
            for c in alike.chars() {
                if let Some(other) = seen.insert(c, plain) {
                    assert_eq!(other, plain, "{c:?} ({:x})", u32::from(c));
                }
            }
        }
    }

    #[test]
    fn plain_letters_stay_what_they_are() {
        let text = "abcdefghijknopqrstuvxyz-/";
        assert_eq!(skeleton(text).collect::<String>(), text);
    }
}
