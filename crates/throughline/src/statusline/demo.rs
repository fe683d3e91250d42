//! `statusline --demo`: every preset, segment and state with sample data, as this terminal would show them.

use throughline_domain::Health;
use throughline_domain::purity::Level;
use throughline_engine::statusline::rules;
use throughline_statusline::{
    Colour, Compaction, Context, Facts, Limit, Look, Preset, Saved, Segment, render,
};
use throughline_store::config::Statusline;

/// The whole demonstration.
pub(super) fn screen() -> String {
    let base = rules::look(&Statusline::default(), &crate::surroundings::AROUND);
    let mut text = String::new();
    let mut show = |title: &str, facts: &Facts<'_>, look: &Look| {
        text.push_str(&heading(title, base.colour));
        for line in render(facts, look) {
            text.push_str(&format!("  {line}\n"));
        }
        text.push('\n');
    };
    for preset in Preset::ALL {
        let look = Look { colour: base.colour, columns: base.columns, ..Look::of(preset) };
        show(&format!("preset = \"{}\"", preset.name()), &sample(), &look);
    }
    let minimal = Look { columns: base.columns, ..Look::of(Preset::Minimal) };
    for (title, facts) in states() {
        show(title, &facts, &minimal);
    }
    for segment in Segment::ALL.into_iter().filter(|segment| *segment != Segment::Newline) {
        let look = Look { colour: base.colour, ..Look::named("compact", [segment.name()]) };
        let shown = render(&sample(), &look).join(" ");
        text.push_str(&format!("{:<12}{shown}\n", segment.name()));
    }
    text.push_str(
        "\nIn throughline.toml:\n\n  [statusline]\n  preset = \"full\"\n  segments = [\"model\", \"percent\", \"newline\", \
         \"branch\"]   # instead of the preset's",
    );
    text
}

fn heading(title: &str, colour: Colour) -> String {
    match colour {
        Colour::On => format!("\u{1b}[1m{title}\u{1b}[0m\n"),
        Colour::Off => format!("{title}\n"),
    }
}

fn sample() -> Facts<'static> {
    Facts {
        model: Some("Opus 5.5"),
        effort: Some("high"),
        is_fast: true,
        context: Context::Known { used: 84_000, window: 200_000, cached: 12_600 },
        compaction: Compaction::At(167_000),
        health: Some(Health::Healthy),
        purity: Some((84, Level::Clean)),
        seconds_left: Some(1_500),
        cost_micros: Some(1_234_567),
        duration_s: Some(5_400),
        lines: Some((156, 23)),
        branch: Some("feature/parser"),
        folder: Some("crates"),
        phase: Some("EXEC"),
        task: Some("Split the reader into scanner and parser"),
        limits: vec![
            Limit { name: "5h", percent: 23.0, resets_in_s: Some(7_800) },
            Limit { name: "7d", percent: 41.0, resets_in_s: Some(260_000) },
        ],
        saved: Some(Saved { entries: 12, ago_s: Some(190) }),
        session: Some("tidy the parser"),
        agent: Some("reviewer"),
        worktree: Some("parser"),
        style: Some("explanatory"),
        vim: Some("NORMAL"),
        version: Some("2.1.325"),
        ..Facts::default()
    }
}

fn states() -> [(&'static str, Facts<'static>); 6] {
    let at = |used, health| Facts {
        context: Context::Known { used, window: 200_000, cached: used / 2 },
        health: Some(health),
        ..sample()
    };
    let unknown = Facts { context: Context::Unknown, health: None, ..sample() };
    [
        ("before the first response", unknown.clone()),
        ("70 % of the way to the compaction", at(120_000, Health::Warning)),
        ("90 %", at(151_000, Health::Critical)),
        ("95 %", at(160_000, Health::Emergency)),
        ("after a compaction, until the next response", Facts { compacted: true, ..unknown }),
        (
            "a model that the client does not compact by itself",
            Facts { compaction: Compaction::Never, ..at(120_000, Health::Healthy) },
        ),
    ]
}
