//! Values drawn from a template by a seeded generator: the same ones in every run, and none that opens anything.
//!
//! In a template `{A20}` stands for twenty letters and digits; `|` is dropped, so that no scanner takes the parts in this
//! folder for a secret.

/// A generator of numbers that look random (xorshift).
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn seeded(word: &str, number: u64) -> Self {
        let seed = word.bytes().fold(0xCBF2_9CE4_8422_2325 ^ number, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        let mut draw = Self(seed | 1);
        for _ in 0..8 {
            draw.next();
        }
        draw
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap() % count
    }

    pub(crate) fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    pub(crate) fn from(&mut self, letters: &str, length: usize) -> String {
        let letters: Vec<char> = letters.chars().collect();
        (0..length).map(|_| self.pick(&letters)).collect()
    }

    pub(crate) fn uuid(&mut self) -> String {
        let mut hex = |length| self.from(HEX, length);
        format!("{}-{}-4{}-a{}-{}", hex(8), hex(4), hex(3), hex(3), hex(12))
    }

    /// A template with its places filled.
    pub(crate) fn fill(&mut self, template: &str) -> String {
        let mut filled = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let (place, behind) = after.split_once('}').expect("a closed place");
            let (class, length) = place.split_at(1);
            let length = length.parse().unwrap_or(0);
            match class {
                "A" => filled.push_str(&self.mixed(length)),
                "h" => filled.push_str(&self.from(HEX, length)),
                "H" => filled.push_str(&self.from("0123456789ABCDEF", length)),
                "u" => filled.push_str(&self.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", length)),
                "2" => filled.push_str(&self.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", length)),
                "q" => filled.push_str(&self.from("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", length)),
                "l" => filled.push_str(&self.from("abcdefghijklmnopqrstuvwxyz0123456789", length)),
                "d" => filled.push_str(&self.from("0123456789", length)),
                "w" => {
                    let half = self.mixed(length / 2);
                    filled.push_str(&format!("{half}-{}", self.mixed(length - length / 2 - 1)));
                }
                "b" => filled.push_str(&self.from(BASE64, length)),
                "L" => filled
                    .push_str(&self.from("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", length)),
                "U" => filled.push_str(&self.uuid()),
                other => panic!("no class {other}"),
            }
            rest = behind;
        }
        filled.push_str(rest);
        filled.replace('|', "")
    }

    /// Letters and digits, with at least one digit among the first eight.
    fn mixed(&mut self, length: usize) -> String {
        let mut text = self.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", length);
        if length >= 8 && !text.bytes().any(|byte| byte.is_ascii_digit()) {
            text.replace_range(3..4, "7");
        }
        text
    }
}

pub(crate) const HEX: &str = "0123456789abcdef";
pub(crate) const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with its padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    let letters = BASE64.as_bytes();
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let at = |place: usize| u32::from(group.get(place).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let is_padding = place > group.len();
            let digit = usize::try_from(bits >> (18 - 6 * place) & 63).unwrap();
            text.push(if is_padding { '=' } else { char::from(letters[digit]) });
        }
    }
    text
}
