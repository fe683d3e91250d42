//! The status line as people see it: presets, widths, colours, text from outside.
#![expect(clippy::needless_raw_string_hashes, reason = "snapshots are written with hashes by their own tool")]

use expect_test::{Expect, expect};
use proptest::prelude::*;
use throughline_domain::Health;
use throughline_domain::purity::Level;
use throughline_statusline::{
    Colour, Compaction, Context, Facts, Limit, Look, Preset, Saved, Segment, render, width,
};

fn facts() -> Facts<'static> {
    Facts {
        model: Some("Opus 5.5"),
        effort: Some("high"),
        is_fast: true,
        context: Context::Known { used: 84_000, window: 200_000, cached: 12_600 },
        compaction: Compaction::At(167_000),
        health: Some(Health::Healthy),
        seconds_left: Some(1_500),
        cost_micros: Some(1_234_567),
        duration_s: Some(5_400),
        lines: Some((156, 23)),
        branch: Some("feature/parser"),
        folder: Some("crates"),
        phase: Some("EXEC"),
        task: Some("Split the reader into a scanner and a parser"),
        limits: vec![
            Limit { name: "5h", percent: 23.5, resets_in_s: Some(7_800) },
            Limit { name: "7d", percent: 91.0, resets_in_s: None },
        ],
        saved: Some(Saved { entries: 12, ago_s: Some(190) }),
        session: Some("tidy the parser"),
        agent: Some("reviewer"),
        worktree: Some("parser"),
        style: Some("default"),
        vim: Some("NORMAL"),
        version: Some("2.1.325"),
        ..Facts::default()
    }
}

fn check(facts: &Facts<'_>, look: &Look, expected: &Expect) {
    expected.assert_eq(&render(facts, look).join("\n"));
}

#[test]
fn decision_27_a_healthy_context_is_said_to_be_where_there_is_room_for_it() {
    let says = |preset, health| {
        let facts = Facts { health: Some(health), ..facts() };
        render(&facts, &Look::of(preset)).join("\n").contains('✅')
    };
    let presets = [Preset::Compact, Preset::Full, Preset::Minimal, Preset::Plain];
    assert_eq!(presets.map(|preset| says(preset, Health::Healthy)), [true, true, false, false]);
    assert!(presets.into_iter().all(|preset| !says(preset, Health::Warning)));
}

#[test]
fn the_presets() {
    let look = |preset| Look::of(preset);
    check(&facts(), &look(Preset::Minimal), &expect!["[Opus 5.5] 42% (84,000t) 📦15% · 83k to compaction"]);
    check(
        &facts(),
        &look(Preset::Compact),
        &expect!["Opus 5.5 │ █████░░░░░ 42% ✅ │ 83k to compaction │ $1.23 │ ⎇ feature/parser"],
    );
    check(
        &facts(),
        &look(Preset::Full),
        &expect![[r#"
            Opus 5.5 high ⚡ │ █████░░░░░ 42% (84,000t) 📦15% ✅ │ 83k to compaction ~25m left │ $1.23 1h30m +156 −23
            📁 crates ⎇ feature/parser │ EXEC ▸ Split the reader into a scanner and a p… │ 🧠 12 saved 3m ago │ 5h 24% (2h10m) 7d 91%"#]],
    );
    check(
        &facts(),
        &look(Preset::Plain),
        &expect!["Opus 5.5 | 42% 84,000t cache 15% | 83k to compaction | $1.23 | feature/parser"],
    );
    for line in render(&facts(), &look(Preset::Plain)) {
        assert!(line.is_ascii(), "{line}");
    }
}

#[test]
fn every_segment_by_its_name() {
    for segment in Segment::ALL {
        assert_eq!(Segment::from_name(segment.name()), Some(segment));
    }
    let names =
        ["session", "agent", "worktree", "style", "vim", "version", "newline", "no such thing", "memory"];
    check(
        &facts(),
        &Look::named("compact", names),
        &expect![[r#"
        tidy the parser @reviewer │ wt:parser │ NORMAL v2.1.325
        🧠 12 saved 3m ago"#]],
    );
    check(
        &facts(),
        &Look::named("no such preset", []),
        &expect!["[Opus 5.5] 42% (84,000t) 📦15% · 83k to compaction"],
    );
}

#[test]
fn the_context_in_all_its_states() {
    let minimal = Look::of(Preset::Minimal);
    let bar = Look::named("compact", ["bar", "percent", "health", "compaction"]);
    let at = |used, health| Facts {
        context: Context::Known { used, window: 200_000, cached: 0 },
        health: Some(health),
        ..facts()
    };
    let mut shown = String::new();
    let unknown = Facts { context: Context::Unknown, health: None, ..facts() };
    for (what, facts) in [
        ("before the first response", unknown.clone()),
        ("after a compaction", Facts { compacted: true, ..unknown }),
        ("the response after it", Facts { compacted: true, ..at(24_000, Health::Healthy) }),
        ("warning", at(120_000, Health::Warning)),
        ("critical", at(151_000, Health::Critical)),
        ("emergency", at(166_400, Health::Emergency)),
        ("due", at(168_000, Health::Emergency)),
        ("never", Facts { compaction: Compaction::Never, ..at(190_000, Health::Emergency) }),
        ("nobody knows", Facts { compaction: Compaction::Unknown, ..at(190_000, Health::Warning) }),
        ("over the window", at(250_000, Health::Emergency)),
        (
            "a million",
            Facts {
                context: Context::Known { used: 84_000, window: 1_000_000, cached: 0 },
                compaction: Compaction::At(967_000),
                ..facts()
            },
        ),
        ("nothing at all", Facts::default()),
    ] {
        let lines = [render(&facts, &minimal).join("\n"), render(&facts, &bar).join("\n")];
        shown.push_str(&format!("{what}: {}\n", lines.join("  //  ")));
    }
    expect![[r#"
        before the first response: [Opus 5.5] –  //  ░░░░░░░░░░ –
        after a compaction: [Opus 5.5] – ♻️  //  ░░░░░░░░░░ – ♻️
        the response after it: [Opus 5.5] 12% (24,000t) ♻️ · 143k to compaction  //  █░░░░░░░░░ 12% ♻️ ✅ │ 143k to compaction
        warning: [Opus 5.5] 60% (120,000t) ⚠️ · 47k to compaction  //  ███████░░░ 60% ⚠️ │ 47k to compaction
        critical: [Opus 5.5] 75% (151,000t) 🔴 · 16k to compaction  //  █████████░ 75% 🔴 │ 16k to compaction
        emergency: [Opus 5.5] 83% (166,400t) 🚨 · 600 to compaction  //  █████████░ 83% 🚨 │ 600 to compaction
        due: [Opus 5.5] 84% (168,000t) 🚨 · compaction due  //  ██████████ 84% 🚨 │ compaction due
        never: [Opus 5.5] 95% (190,000t) 🚨 · no auto-compaction  //  █████████░ 95% 🚨 │ no auto-compaction
        nobody knows: [Opus 5.5] 95% (190,000t) ⚠️  //  █████████░ 95% ⚠️
        over the window: [Opus 5.5] 125% (250,000t) 🚨 · compaction due  //  ██████████ 125% 🚨 │ compaction due
        a million: [Opus 5.5] 8% (84,000t) · 883k to compaction  //  █░░░░░░░░░ 8% ✅ │ 883k to compaction
        nothing at all: [?] –  //  ░░░░░░░░░░ –
    "#]].assert_eq(&shown);
}

#[test]
fn purity_is_a_number_until_there_is_something_to_type() {
    let look = |preset: &str| Look { colour: Colour::Off, ..Look::named(preset, ["purity"]) };
    let shown = |facts: &Facts<'_>, preset: &str| render(facts, &look(preset)).join("|");
    let at = |score, level| Facts { purity: Some((score, level)), ..facts() };
    assert_eq!(shown(&at(84, Level::Clean), "full"), "✦84");
    assert_eq!(shown(&at(84, Level::Clean), "plain"), "purity 84");
    assert_eq!(shown(&at(u64::MAX, Level::Clean), "full"), "✦100");
    let purified = Facts { purified: Some(37), ..at(100, Level::Clean) };
    assert_eq!(shown(&purified, "full"), "✦37 → /clear");
    assert_eq!(shown(&purified, "plain"), "purity 37 -> /clear");
    assert!(!shown(&facts(), "full").contains('✦'), "nothing until it is known");
    let colours = Level::ALL.map(|level| {
        let look = Look { colour: Colour::On, ..Look::named("full", ["purity"]) };
        let line = render(&at(50, level), &look).concat();
        line.split('m').next().unwrap_or_default().trim_start_matches("\u{1b}[").to_owned()
    });
    assert_eq!(colours, ["32", "33", "31", "1;31"]);
}

#[test]
fn where_there_is_no_room_the_least_important_goes_first() {
    let mut shown = String::new();
    for columns in [200, 100, 70, 50, 40, 30, 20, 14, 10, 6, 3, 1] {
        for preset in [Preset::Minimal, Preset::Full] {
            let look = Look { columns: Some(columns), ..Look::of(preset) };
            for line in render(&facts(), &look) {
                shown.push_str(&format!("{columns:>3}|{line}\n"));
                assert!(width(&line) <= columns, "{columns}: {line}");
            }
        }
    }
    expect![[r#"
        200|[Opus 5.5] 42% (84,000t) 📦15% · 83k to compaction
        200|Opus 5.5 high ⚡ │ █████░░░░░ 42% (84,000t) 📦15% ✅ │ 83k to compaction ~25m left │ $1.23 1h30m +156 −23
        200|📁 crates ⎇ feature/parser │ EXEC ▸ Split the reader into a scanner and a p… │ 🧠 12 saved 3m ago │ 5h 24% (2h10m) 7d 91%
        100|[Opus 5.5] 42% (84,000t) 📦15% · 83k to compaction
        100|Opus 5.5 │ █████░░░░░ 42% (84,000t) 📦15% ✅ │ 83k to compaction ~25m left │ $1.23 1h30m +156 −23
        100|⎇ feature/parser │ EXEC ▸ Split the reader into a scanner and a p… │ 5h 24% (2h10m) 7d 91%
         70|[Opus 5.5] 42% (84,000t) 📦15% · 83k to compaction
         70|Opus 5.5 │ 42% (84,000t) ✅ │ 83k to compaction ~25m left │ $1.23
         70|⎇ feature/parser │ 5h 24% (2h10m) 7d 91%
         50|[Opus 5.5] 42% (84,000t) 📦15% · 83k to compaction
         50|Opus 5.5 │ 42% (84,000t) ✅ │ 83k to compaction
         50|⎇ feature/parser │ 5h 24% (2h10m) 7d 91%
         40|[Opus 5.5] 42% · 83k to compaction
         40|Opus 5.5 │ 42% ✅ │ 83k to compaction
         40|⎇ feature/parser │ 5h 24% (2h10m) 7d 91%
         30|[Opus 5.5] 42%
         30|Opus 5.5 │ 42% ✅
         30|5h 24% (2h10m) 7d 91%
         20|[Opus 5.5] 42%
         20|Opus 5.5 │ 42% ✅
         20|5h 24% (2h10m) 7d 9…
         14|[Opus 5.5] 42%
         14|Opus… │ 42% ✅
         14|5h 24% (2h10m…
         10|[Opu…] 42%
         10|42% ✅
         10|5h 24% (2…
          6|42%
          6|42% ✅
          6|5h 24…
          3|42%
          3|42…
          3|5h…
          1|…
          1|…
          1|…
    "#]].assert_eq(&shown);
}

#[test]
fn colours_end_where_they_began_and_can_be_left_out() {
    let look = Look { colour: Colour::On, ..Look::of(Preset::Full) };
    let painted = render(&Facts { health: Some(Health::Critical), ..facts() }, &look).join("\n");
    expect![[r#"
        ESC[36mOpus 5.5ESC[0m ESC[2mhighESC[0m ⚡ESC[2m │ ESC[0mESC[31m█████ESC[0mESC[2m░░░░░ESC[0m ESC[31m42%ESC[0m (84,000t) 📦15% ESC[31m🔴ESC[0mESC[2m │ ESC[0mESC[2m83k to compactionESC[0m ESC[2m~25m leftESC[0mESC[2m │ ESC[0m$1.23 ESC[2m1h30mESC[0m ESC[32m+156ESC[0mESC[31m −23ESC[0m
        📁 crates ESC[36m⎇ feature/parserESC[0mESC[2m │ ESC[0mEXEC ▸ Split the reader into a scanner and a p…ESC[2m │ ESC[0mESC[2m🧠 12 saved 3m agoESC[0mESC[2m │ ESC[0mESC[2m5h 24% (2h10m)ESC[0mESC[31m 7d 91%ESC[0m"#]].assert_eq(&painted.replace('\u{1b}', "ESC"));
    assert_eq!(painted.matches("\u{1b}[0m").count() * 2, painted.matches('\u{1b}').count());
    let minimal = Look { colour: Colour::On, ..Look::of(Preset::Minimal) };
    let painted = render(&facts(), &minimal).join("\n");
    assert!(!painted.contains('\u{1b}'), "{painted:?}");
    assert!(!render(&facts(), &Look::of(Preset::Full)).join("").contains('\u{1b}'));
}

#[test]
fn small_and_large_sums() {
    let look = Look::named("minimal", ["cost"]);
    let cost = |micros| render(&Facts { cost_micros: Some(micros), ..Facts::default() }, &look).join("");
    assert_eq!(
        [400, 4_600, 20_460, 1_234_567, 1_999_999, 12_345_678_900].map(cost),
        ["$0.000", "$0.005", "$0.02", "$1.23", "$2.00", "$12,345.68"]
    );
}

fn odd_text() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("\u{1b}[31m".to_owned()),
        Just("\u{1b}]0;x\u{7}".to_owned()),
        Just("日本".to_owned()),
        Just("⚠️".to_owned()),
        Just("👨‍👩‍👧".to_owned()),
        Just("e\u{301}".to_owned()),
        Just("\u{202e}".to_owned()),
        Just("\n".to_owned()),
        "[ -~]{0,6}",
        any::<String>(),
    ];
    prop::collection::vec(pieces, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_from_outside_breaks_a_line_its_width_or_its_colours(
        model in odd_text(), branch in odd_text(), task in odd_text(),
        columns in 0_usize..120, used in any::<u64>(), window in any::<u64>(), at in any::<u64>(),
        cells in any::<usize>(), micros in any::<u64>(), percent in any::<f64>(),
    ) {
        let facts = Facts {
            model: Some(&model), branch: Some(&branch), task: Some(&task), phase: Some(&task), folder: Some(&model),
            context: Context::Known { used, window, cached: used / 2 }, compaction: Compaction::At(at),
            cost_micros: Some(micros), lines: Some((used / 2, window / 2)),
            limits: vec![Limit { name: "5h", percent, resets_in_s: Some(at) }],
            ..facts()
        };
        for preset in Preset::ALL {
            let look = Look { columns: Some(columns), bar_cells: cells, ..Look::of(preset) };
            for line in render(&facts, &look) {
                prop_assert!(!line.contains(|c: char| c.is_control()), "{line:?}");
                prop_assert!(width(&line) <= columns, "{} > {columns}: {line:?}", width(&line));
            }
        }
    }
}
