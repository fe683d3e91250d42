//! Sending: every row arrives once, whole, by COPY and by INSERT, and nothing new costs nothing.

use throughline_fleet::schema::MIGRATIONS;
use throughline_fleet::sync::{ProjectForm, Sender, sync};

use crate::scene::{Database, Memory, at, boundary, response, sample, samples, sender};

#[test]
fn rows_arrive_once_with_everything_in_them_however_often_they_are_sent() {
    let Some(database) = Database::new() else { return };
    let mut few = Memory::of([sample("few", 0, 42)])
        .with_responses([response("few", 1, 7)])
        .with_boundaries([boundary("few", 2)]);
    let outcome = database.sync(1, &mut few);
    assert_eq!(
        (outcome.sent, outcome.migrated.len(), outcome.refused_count),
        ([1, 1, 1], MIGRATIONS.len(), 0)
    );
    assert_eq!(
        database.sql(
            "SELECT id, session_id, \"timestamp\" AT TIME ZONE 'UTC', model_id, context_used, context_size, \
             usage_percent, input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens, status, \
             compaction_detected, working_directory, compacts_at, cost_micros, project, agent, user_name, machine \
             FROM context_usage_log"
        ),
        format!(
            "{}|few|2026-10-31 22:00:00|claude-opus-5|84000|200000|42|10|20|300|900|HEALTHY|f|\
             /home/me/a \"quoted\" \\ folder|155000|1250000|/home/me/project|claude-code|it's me|\
             01010101-0101-0101-0101-010101010101",
            sample("few", 0, 42).id().as_uuid()
        )
    );
    // By COPY, the same row comes out the same.
    let mut many = Memory::of(std::iter::once(sample("few", 0, 42)).chain(samples("many", 5_000)));
    database.sql("CREATE TABLE before AS SELECT * FROM context_usage_log; DELETE FROM context_usage_log");
    assert_eq!(database.sync(2, &mut many).sent, [5_001, 0, 0]);
    let differences = database.sql(
        "SELECT count(*) FROM before b JOIN context_usage_log l USING (id, \"timestamp\") \
         WHERE to_jsonb(b) - 'created_at' - 'machine' = to_jsonb(l) - 'created_at' - 'machine'",
    );
    assert_eq!(differences, "1");
    // Sent again by a machine that forgot, they stay as they are.
    many.sent = [0; 3];
    database.sql("UPDATE throughline_machines SET samples_sent = 0");
    assert_eq!(database.sync(2, &mut many).sent, [5_001, 0, 0]);
    assert_eq!(database.sql("SELECT count(*), count(DISTINCT id) FROM context_usage_log"), "5001|5001");
    assert_eq!(database.sync(2, &mut many).sent, [0; 3]);
}

#[test]
fn a_response_of_which_more_is_known_grows_and_one_whose_moment_changed_is_not_counted_twice() {
    let Some(database) = Database::new() else { return };
    let mut source = Memory::default().with_responses([response("s", 100, 5), response("s", 200, 6)]);
    database.sync(1, &mut source);
    // More of the first came; of the second an earlier copy was found.
    let mut moved = response("s", 200, 6);
    let (old, id) = (moved.at, moved.id);
    moved.at = response("s", 150, 0).at;
    source = source.with_responses([response("s", 100, 50), moved]);
    source.moved = vec![(4, old, id)];
    assert_eq!(database.sync(1, &mut source).sent, [0, 2, 0]);
    let rows = "SELECT extract(second FROM \"timestamp\")::int, extract(minute FROM \"timestamp\"), output_tokens \
                FROM context_usage_responses ORDER BY \"timestamp\"";
    assert_eq!(database.sql(rows), "40|1|50\n30|2|6");
    // An older copy, sent late by another machine, changes nothing of what is the same.
    let when = database.sql("SELECT string_agg(xmin::text, ',') FROM context_usage_responses");
    database.sync(2, &mut Memory::default().with_responses([response("s", 100, 50)]));
    assert_eq!(database.sql("SELECT string_agg(xmin::text, ',') FROM context_usage_responses"), when);
}

#[test]
fn a_row_that_no_server_takes_is_cleaned_and_one_that_this_server_refuses_stays_behind_alone() {
    let Some(database) = Database::new() else { return };
    let mut odd = sample("with\0nul", 1, 42);
    odd.model = "m".repeat(9_000);
    odd.cwd = "é".repeat(9_000);
    odd.context_used = u64::MAX;
    odd.percent = u16::MAX;
    let outcome = database.sync(1, &mut Memory::of([odd, sample("fine", 2, 3)]));
    assert_eq!((outcome.sent[0], outcome.cleaned, outcome.refused_count), (2, 1, 0));
    assert_eq!(
        database.sql(
            "SELECT session_id, length(model_id), length(working_directory), context_used, usage_percent \
             FROM context_usage_log WHERE session_id <> 'fine'"
        ),
        "withnul|256|512|2147483647|999"
    );
    database.sql("ALTER TABLE context_usage_log ADD CHECK (session_id NOT LIKE 'bad%')");
    let mixed: Vec<_> = samples("good", 700)
        .chain([sample("bad one", 1, 1)])
        .chain(samples("better", 700))
        .chain([sample("bad two", 1, 1)])
        .collect();
    let mut source = Memory::of(mixed);
    let outcome = database.sync(2, &mut source);
    assert_eq!((outcome.refused_count, outcome.refused.len()), (2, 2));
    assert_eq!(outcome.refused.iter().map(|refused| refused.row).collect::<Vec<_>>(), [701, 1402]);
    assert!(outcome.refused[0].why.contains("23514"), "{:?}", outcome.refused);
    assert_eq!(database.sql("SELECT count(*) FROM context_usage_log WHERE machine IS NOT NULL"), "1402");
    assert_eq!(database.sync(2, &mut source).sent, [0; 3], "the bad ones do not come again and again");
}

#[test]
fn a_server_that_lost_rows_and_a_machine_that_lost_its_records_both_catch_up() {
    let Some(database) = Database::new() else { return };
    let mut source = Memory::of(samples("s", 1_000));
    database.sync(1, &mut source);
    // The server came back from a backup: fewer rows, and the place that belongs to them.
    database.sql(
        "DELETE FROM context_usage_log WHERE \"timestamp\" >= timestamptz '2026-10-31 22:00:00Z' + 300 * interval '7 s'; \
         UPDATE throughline_machines SET samples_sent = 300",
    );
    assert_eq!(database.sync(1, &mut source).sent, [700, 0, 0]);
    assert_eq!(database.sql("SELECT count(*) FROM context_usage_log"), "1000");
    // The machine's records were built anew: other numbers, one more row.
    let mut rebuilt = Memory::of(samples("s", 1_001).collect::<Vec<_>>().into_iter().rev());
    assert_eq!(database.sync(1, &mut rebuilt).sent, [1_001, 0, 0]);
    assert_eq!(database.sql("SELECT count(*) FROM context_usage_log"), "1001");
}

#[test]
fn months_get_partitions_and_wrong_clocks_get_none() {
    let Some(database) = Database::new() else { return };
    let mut early = sample("s", 0, 1);
    early.at = at("1971-01-01T00:00:00Z");
    let mut late = sample("s", 1, 1);
    late.at = at("2999-01-01T00:00:00Z");
    let mut edge = sample("s", 2, 1);
    edge.at = at("2026-10-31T23:59:59.999Z");
    let mut next = sample("s", 3, 1);
    next.at = at("2026-11-01T00:00:00Z");
    database.sync(1, &mut Memory::of([early, late, edge, next]));
    let places = "SELECT tableoid::regclass::text, count(*) FROM context_usage_log GROUP BY 1 ORDER BY 1";
    assert_eq!(
        database.sql(places),
        "context_usage_log_2026_10|1\ncontext_usage_log_2026_11|1\ncontext_usage_log_rest|2"
    );
    // What came by hand before its month had a place of its own moves there.
    let by_hand = "INSERT INTO context_usage_log (session_id, \"timestamp\", context_used, usage_percent) \
                   VALUES ('hand', '2026-09-10Z', 1, 1)";
    database.sql(by_hand);
    assert!(database.sql(places).contains("context_usage_log_rest|3"));
    let mut september = sample("s", 4, 1);
    september.at = at("2026-09-11T00:00:00Z");
    database.sync(1, &mut Memory { sent: [4, 0, 0], ..Memory::of(vec![september; 5]) });
    assert!(database.sql(places).contains("context_usage_log_2026_09|2"), "{}", database.sql(places));
}

#[test]
fn what_a_project_is_called_is_up_to_the_sender() {
    let Some(database) = Database::new() else { return };
    for (machine, project) in [(1, ProjectForm::Path), (2, ProjectForm::Name), (3, ProjectForm::Hash)] {
        let who = Sender { project, user_name: None, machine_name: None, ..sender(machine) };
        let mut source = Memory::of([sample(&format!("s{machine}"), 0, 1)]);
        sync(&database.address(), &who, &mut source, &mut |_| ()).expect("a sync");
    }
    assert_eq!(
        database.sql(
            "SELECT session_id, left(project, 16), length(project), working_directory IS NULL, user_name IS NULL \
             FROM context_usage_log WHERE project NOT LIKE '%-%' ORDER BY 1"
        ),
        "s1|/home/me/project|16|f|t\ns2|project|7|t|t"
    );
    let hashed = database
        .sql("SELECT project, working_directory IS NULL FROM context_usage_log WHERE session_id = 's3'");
    assert!(hashed.len() == 38 && hashed.ends_with("|t") && !hashed.contains("project"), "{hashed}");
}

#[test]
fn two_samples_of_one_session_in_one_second_are_two_rows() {
    let Some(database) = Database::new() else { return };
    let twice = samples("s", 400).chain([sample("s", 7, 41), sample("s", 7, 42)]);
    let outcome = database.sync(1, &mut Memory::of(twice));
    assert_eq!((outcome.sent[0], outcome.refused_count), (402, 0));
    let second = "SELECT count(*), count(DISTINCT \"timestamp\") FROM context_usage_log \
                  WHERE date_trunc('second', \"timestamp\") = (SELECT min(\"timestamp\") FROM context_usage_log \
                  WHERE usage_percent = 41)";
    assert_eq!(database.sql(second), "3|1", "one by COPY beside the two of its moment");
}
