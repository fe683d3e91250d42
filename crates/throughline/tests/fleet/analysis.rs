//! Analysis: what the server's own functions and summaries say, against truth worked out by hand.

use crate::scene::{Database, Memory, at, response, sample, samples};

/// 93, 95 and 91 per cent down to 12, 13 and 12.
fn compactions() -> Memory {
    let drops = [(93, 12), (95, 13), (91, 12)];
    let mut all = Vec::new();
    for (index, (before, after)) in drops.into_iter().enumerate() {
        let session = format!("s{index}");
        all.extend([sample(&session, 0, 40), sample(&session, 60, before)]);
        let mut compacted = sample(&session, 120, after);
        compacted.compaction = true;
        compacted.previous_percent = Some(before);
        all.push(compacted);
        all.push(sample(&session, 180, 20));
    }
    Memory::of(all)
}

const ANALYSIS: &str = "SELECT * FROM get_compaction_analysis()";

#[test]
fn a_compaction_is_measured_from_the_sample_before_it() {
    let Some(database) = Database::new() else { return };
    database.sync(1, &mut compactions());
    assert_eq!(database.sql(ANALYSIS), "3|93.00|12.33|7.54|93.00");
    // Rows written by hand do not say what was before; a second compaction of a session follows its first.
    database.sql("UPDATE context_usage_log SET previous_percent = NULL");
    assert_eq!(database.sql(ANALYSIS), "3|93.00|12.33|7.54|93.00");
    database.sql(
        "INSERT INTO context_usage_log (session_id, \"timestamp\", context_used, usage_percent, compaction_detected) \
         VALUES ('s0', '2026-10-31 23:00Z', 1, 10, true), ('alone', '2026-10-31 23:00Z', 1, 10, true)",
    );
    assert_eq!(
        database.sql(ANALYSIS),
        "4|74.75|11.75|6.36|92.00",
        "20 % before the second; the lonely one says nothing"
    );
    assert_eq!(database.sql("TRUNCATE context_usage_log; SELECT * FROM get_compaction_analysis()"), "0||||");
}

#[test]
fn a_compaction_written_by_hand_is_completed_whatever_the_order_of_its_statement() {
    let Some(database) = Database::new() else { return };
    database.sync(1, &mut compactions());
    database.sql(
        "INSERT INTO context_usage_log (session_id, \"timestamp\", context_used, usage_percent, compaction_detected) \
         VALUES ('hand', '2026-10-31 10:02Z', 1, 11, true), ('hand', '2026-10-31 10:00Z', 1, 50, false), \
         ('hand', '2026-10-31 10:01Z', 1, 88, false)",
    );
    let told =
        "SELECT previous_percent FROM context_usage_log WHERE session_id = 'hand' AND compaction_detected";
    assert_eq!(database.sql(told), "88");
    // Loaded while triggers were off: the analysis looks it up.
    database.sql("UPDATE context_usage_log SET previous_percent = NULL WHERE session_id = 'hand'");
    assert_eq!(database.sql(ANALYSIS), "4|91.75|12.00|7.65|92.00");
}

#[test]
fn a_day_sums_responses_and_never_snapshots() {
    let Some(database) = Database::new() else { return };
    let mut source =
        compactions().with_responses([response("s0", 0, 7), response("s0", 600, 8), response("quiet", 0, 1)]);
    database.sync(1, &mut source);
    let day = "SELECT date, total_sessions, total_entries, avg_usage_percent, max_usage_percent, min_usage_percent, \
               total_input_tokens, total_output_tokens, total_cache_read_tokens, total_cache_creation_tokens, \
               compaction_count, warning_count, critical_count, emergency_count, cache_hit_ratio, \
               avg_session_duration_minutes, total_responses FROM context_usage_daily";
    // Sessions last 10, 3, 3 and 0 minutes.
    let expected = "2026-10-31|4|12|41.33|95|12|300|16|13500|4500|3|0|2|1|0.75|4|3";
    assert_eq!(database.sql(day), expected);
    database.sql("SELECT aggregate_context_usage_daily('2026-10-31')");
    assert_eq!(database.sql(day), expected, "again, nothing changes");
    database
        .sql("SELECT aggregate_context_usage_daily('2026-10-30'); SELECT aggregate_context_usage_daily()");
    assert_eq!(database.sql(day), expected, "a day without anything has no row");
    database.sql("DELETE FROM context_usage_log; DELETE FROM context_usage_responses; SELECT aggregate_context_usage_daily('2026-10-31')");
    assert_eq!(database.sql(day), "", "and one that lost everything loses its row");
}

#[test]
fn days_are_cut_by_the_fleets_zone_and_not_by_the_servers() {
    let Some(database) = Database::new() else { return };
    assert_eq!(database.sql("SHOW timezone"), "Pacific/Auckland");
    let mut before = sample("s", 0, 10);
    before.at = at("2026-10-31T23:59:59.999Z");
    let mut after = sample("s", 1, 20);
    after.at = at("2026-11-01T00:00:00Z");
    let mut source = Memory::of([before, after]);
    database.sync(1, &mut source);
    let days = "SELECT date, total_entries FROM context_usage_daily ORDER BY date";
    assert_eq!(database.sql(days), "2026-10-31|1\n2026-11-01|1");
    database.sql("UPDATE throughline_fleet SET day_zone = 'America/New_York'; TRUNCATE context_usage_daily");
    source.sent = [0; 3];
    database.sync(1, &mut source);
    assert_eq!(database.sql(days), "2026-10-31|2");
}

#[test]
fn a_summary_that_was_interrupted_is_made_by_whoever_comes_next() {
    let Some(database) = Database::new() else { return };
    database.sync(1, &mut Memory::of(samples("s", 10)));
    database.sql("TRUNCATE context_usage_daily; INSERT INTO throughline_days_due VALUES ('2026-10-31'), ('2026-10-31')");
    let outcome = database.sync(2, &mut Memory::default());
    assert_eq!(outcome.sent, [0; 3]);
    assert_eq!(database.sql("SELECT total_entries FROM context_usage_daily"), "10");
    assert_eq!(database.sql("SELECT count(*) FROM throughline_days_due"), "0");
}

#[test]
fn a_day_that_takes_long_is_not_made_by_every_sender() {
    let Some(database) = Database::new() else { return };
    database.sync(1, &mut Memory::of(samples("s", 10)));
    database.sql("UPDATE context_usage_daily SET aggregation_ms = 5000, aggregated_at = clock_timestamp()");
    database.sync(2, &mut Memory::of(samples("t", 10)));
    assert_eq!(database.sql("SELECT total_entries FROM context_usage_daily"), "10", "left for 100 seconds");
    database.sql("UPDATE context_usage_daily SET aggregated_at = clock_timestamp() - interval '101 seconds'");
    database.sync(3, &mut Memory::default());
    assert_eq!(database.sql("SELECT total_entries, aggregation_ms < 5000 FROM context_usage_daily"), "20|t");
}

#[test]
fn the_last_days_and_the_last_sessions_are_one_question_each() {
    let Some(database) = Database::new() else { return };
    database.sync(1, &mut compactions().with_responses([response("s0", 0, 7)]));
    database.sql(
        "UPDATE context_usage_log SET \"timestamp\" = \"timestamp\" + (now() - timestamptz '2026-10-31 23:00Z'); \
         UPDATE context_usage_responses SET \"timestamp\" = \"timestamp\" + (now() - timestamptz '2026-10-31 23:00Z')",
    );
    assert_eq!(database.sql("SELECT * FROM get_context_usage_summary()"), "3|12|41.33|95|3|0|3|75.00");
    assert_eq!(database.sql("SELECT * FROM get_context_usage_summary(p_days => 0)"), "0|0|||0|0|0|0.00");
    assert_eq!(
        database.sql(
            "SELECT session_id, peak_usage, avg_usage, compactions, model, round(duration_minutes), project \
             FROM v_context_usage_recent ORDER BY 1 LIMIT 1"
        ),
        "s0|93|41|1|claude-opus-5|3|/home/me/project"
    );
}
