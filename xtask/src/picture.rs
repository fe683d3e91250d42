//! `cargo xtask picture`: the README's picture, drawn from what the real binary prints.

use std::path::Path;
use std::process::Command;

use anstyle::{Color, RgbColor};
use anstyle_svg::{Palette, Term};

use crate::Outcome;

const PICTURE: &str = "docs/demo.svg";
/// The most telling part of the demo: from the compaction to what was brought back.
const FIRST_LINE: &str = "3 ";
const LINE_AFTER: &str = "5 ";
/// Room for 98 columns, also in a font that is a little wider than the usual ones.
const WIDTH_PX_MIN: usize = 850;
/// Most lines of a quoted file.
const QUOTED_LINES_MAX: usize = 3;
/// More would be slow to show and to review.
const PICTURE_BYTES_MAX: usize = 150 << 10;

const BACKGROUND: RgbColor = RgbColor(0x0d, 0x11, 0x17);
const FOREGROUND: RgbColor = RgbColor(0xd5, 0xdb, 0xe3);

/// Clear on the dark card, and the card stands out on a light page as on a dark one.
const COLOURS: Palette = Palette([
    RgbColor(0x48, 0x4f, 0x58),
    RgbColor(0xff, 0x7b, 0x72),
    RgbColor(0x56, 0xd3, 0x64),
    RgbColor(0xe3, 0xb3, 0x41),
    RgbColor(0x79, 0xc0, 0xff),
    RgbColor(0xd2, 0xa8, 0xff),
    RgbColor(0x56, 0xd4, 0xdd),
    RgbColor(0xd5, 0xdb, 0xe3),
    RgbColor(0x6e, 0x76, 0x81),
    RgbColor(0xff, 0xa1, 0x98),
    RgbColor(0x7e, 0xe7, 0x87),
    RgbColor(0xf2, 0xcc, 0x60),
    RgbColor(0xa5, 0xd6, 0xff),
    RgbColor(0xe2, 0xc5, 0xff),
    RgbColor(0xb3, 0xf0, 0xff),
    RgbColor(0xff, 0xff, 0xff),
]);

/// Runs the demo and draws it; with `--check`, only tells whether the picture is what would be drawn.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<Outcome, String> {
    let drawn = draw(&demo_output(root)?)?;
    let path = root.join(PICTURE);
    match arguments {
        [] => {
            std::fs::create_dir_all(root.join("docs"))
                .map_err(|error| format!("could not make docs: {error}"))?;
            std::fs::write(&path, &drawn).map_err(|error| format!("could not write {PICTURE}: {error}"))?;
            crate::say(&format!("{PICTURE}: {} bytes", drawn.len()));
            Ok(Outcome::Good)
        }
        [flag] if flag == "--check" => {
            if std::fs::read_to_string(&path).is_ok_and(|there| there == drawn) {
                return Ok(Outcome::Good);
            }
            crate::say_err(&format!("{PICTURE} is not what the demo prints now; run `cargo xtask picture`"));
            Ok(Outcome::Bad)
        }
        _ => Err("usage: cargo xtask picture [--check]".to_owned()),
    }
}

/// What the demo prints, with colours.
fn demo_output(root: &Path) -> Result<String, String> {
    let output = Command::new("cargo")
        .args(["run", "--quiet", "--package", "throughline", "--", "demo"])
        .current_dir(root)
        .env_remove("NO_COLOR")
        .env("CLICOLOR_FORCE", "1")
        .output()
        .map_err(|error| format!("could not run cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("the demo failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    String::from_utf8(output.stdout).map_err(|_| "the demo printed something that is no text".to_owned())
}

fn draw(output: &str) -> Result<String, String> {
    let shown = settled(&cropped(output)?);
    let svg = Term::new()
        .min_width_px(WIDTH_PX_MIN)
        .palette(COLOURS)
        .fg_color(Color::Rgb(FOREGROUND))
        .bg_color(Color::Rgb(BACKGROUND))
        .render_svg(&shown);
    let svg = accessible(&svg)?;
    if svg.len() > PICTURE_BYTES_MAX {
        return Err(format!("the picture has {} bytes, limit {PICTURE_BYTES_MAX}", svg.len()));
    }
    Ok(svg)
}

/// The title line, and the part between the two headings.
fn cropped(output: &str) -> Result<String, String> {
    let title = output.lines().next().ok_or("the demo printed nothing")?;
    let part: Vec<&str> = output
        .lines()
        .skip_while(|line| !plain(line).starts_with(FIRST_LINE))
        .take_while(|line| !plain(line).starts_with(LINE_AFTER))
        .collect();
    if part.len() < 10 {
        return Err("the demo's headings are not where the picture expects them".to_owned());
    }
    Ok(format!("{title}\n\n{}\n", without_long_quotations(&part).join("\n").trim_end()))
}

/// Of quoted files the first lines are enough for a picture; what is left out is marked.
fn without_long_quotations<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut quoted = 0;
    for line in lines {
        quoted = if plain(line).starts_with("  │ >") { quoted + 1 } else { 0 };
        match quoted {
            0..=QUOTED_LINES_MAX => kept.push(*line),
            n if n == QUOTED_LINES_MAX + 1 => kept.push("  │ > …"),
            _ => {}
        }
    }
    kept
}

/// Times and commit hashes differ in each run, and so would the picture: they are set to fixed ones of the same form.
fn settled(text: &str) -> String {
    let words = text.split_inclusive([' ', '\n', '(', ')', '"']);
    words.map(|word| settled_word(word).unwrap_or_else(|| word.to_owned())).collect()
}

fn settled_word(word: &str) -> Option<String> {
    let body_end = word.trim_end_matches([' ', '\n', ')', '.', ',', ';', '"']).len();
    let (body, tail) = word.split_at(body_end);
    let is_time = body.len() >= 20 && body.ends_with('Z') && body.as_bytes().get(10) == Some(&b'T');
    let is_hash = (7..=12).contains(&body.len())
        && body.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && body.bytes().any(|byte| byte.is_ascii_digit());
    if is_time {
        return Some(format!("2026-03-12T09:41:00.000Z{tail}"));
    }
    is_hash.then(|| format!("{:.*}{tail}", body.len(), "4f1d2c9a7b30"))
}

/// A line without its colours.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            letters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            text.push(letter);
        }
    }
    text
}

/// Scales with the page, says what it shows to those who cannot see it, and keeps faint text readable.
fn accessible(svg: &str) -> Result<String, String> {
    let (head, rest) = svg.split_once('>').ok_or("the drawing has no beginning")?;
    let number = |name: &str| -> Result<u32, String> {
        let value = head.split_once(&format!("{name}=\"")).and_then(|(_, rest)| rest.split_once("px\""));
        value.and_then(|(digits, _)| digits.parse().ok()).ok_or_else(|| format!("the drawing has no {name}"))
    };
    let (width, height) = (number("width")?, number("height")?);
    let label =
        "What throughline demo prints: a compaction, the client's short summary, and the briefing after it";
    // `opacity` is for whole elements; parts of a text take `fill-opacity`.
    let rest = rest.replace(".dimmed { opacity: 0.4; }", ".dimmed { fill-opacity: 0.7; }");
    Ok(format!("{head} viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{label}\">{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_run_to_run_is_settled() {
        let first = settled("saved 2026-01-02T03:04:05.678Z). at ab12cd3 by decade");
        assert_eq!(first, settled("saved 2027-11-12T13:14:15.000Z). at 99999aa by decade"));
        assert!(first.ends_with("at 4f1d2c9 by decade"), "{first}");
    }

    #[test]
    fn the_part_between_the_headings_is_drawn() {
        let body = "line <&> \u{1b}[32mgreen\u{1b}[0m\n".repeat(10);
        let output = format!("title\n1 one\nearly\n\u{1b}[1m3\u{1b}[0m three\n{body}\n5 five\nlate\n");
        let svg = draw(&output).unwrap();
        assert!(svg.contains("title") && svg.contains("three") && svg.contains("&lt;&amp;&gt;"));
        assert!(!svg.contains("early") && !svg.contains("late"));
        assert!(svg.starts_with("<svg width=") && svg.contains("viewBox=\"0 0 "));
    }
}
