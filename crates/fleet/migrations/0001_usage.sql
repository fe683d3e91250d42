-- Usage of many machines: how full contexts were, what was used, what was compacted; and the days of it.
--
-- Everything here can run again. It runs with search_path set to the schema at hand and pg_temp, in one transaction.

-- What the tables' first owner may have left. A table of the same name that is not ours is kept under another name,
-- and its rows are copied; nothing is dropped but views and functions, which come back below.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_class WHERE oid = to_regclass('context_usage_log') AND relkind = 'r') THEN
        DROP VIEW IF EXISTS v_context_usage_recent;
        DROP FUNCTION IF EXISTS get_context_usage_summary(integer);
        DROP FUNCTION IF EXISTS get_compaction_analysis();
        DROP FUNCTION IF EXISTS aggregate_context_usage_daily(date);
        ALTER TABLE context_usage_log RENAME TO context_usage_log_before_throughline;
        IF to_regclass('context_usage_daily') IS NOT NULL THEN
            ALTER TABLE context_usage_daily RENAME TO context_usage_daily_before_throughline;
        END IF;
    END IF;
END $$;

-- One row: which fleet this is. Machines keep their place in the sending under this id, so that another database
-- behind the same address is sent everything. day_zone cuts the days of context_usage_daily.
CREATE TABLE IF NOT EXISTS throughline_fleet (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    day_zone text NOT NULL DEFAULT 'UTC',
    created_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO throughline_fleet DEFAULT VALUES ON CONFLICT DO NOTHING;

-- Who sends, and how far it came: written in the same transaction as the rows.
CREATE TABLE IF NOT EXISTS throughline_machines (
    machine uuid PRIMARY KEY,
    name text,
    user_name text,
    version text,
    samples_sent bigint NOT NULL DEFAULT 0,
    responses_sent bigint NOT NULL DEFAULT 0,
    compactions_sent bigint NOT NULL DEFAULT 0,
    first_sync timestamptz NOT NULL DEFAULT now(),
    last_sync timestamptz NOT NULL DEFAULT now()
);

-- Days whose summary has to be made again. Rows are only added and taken, so senders never wait for each other.
CREATE TABLE IF NOT EXISTS throughline_days_due (
    day date NOT NULL,
    noted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS throughline_days_due_day ON throughline_days_due (day);

-- How full a context was at a moment: snapshots. Never sum their tokens.
CREATE TABLE IF NOT EXISTS context_usage_log (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    session_id text NOT NULL,
    "timestamp" timestamptz NOT NULL,
    model_id text,
    context_used integer NOT NULL,
    context_size integer DEFAULT 200000,
    usage_percent smallint NOT NULL,
    input_tokens integer DEFAULT 0,
    output_tokens integer DEFAULT 0,
    cache_creation_tokens integer DEFAULT 0,
    cache_read_tokens integer DEFAULT 0,
    status text CHECK (status IN ('HEALTHY', 'WARNING', 'CRITICAL', 'EMERGENCY')),
    compaction_detected boolean DEFAULT false,
    working_directory text,
    created_at timestamptz DEFAULT now(),
    previous_percent smallint,
    compacts_at integer,
    cost_micros bigint,
    signs text,
    project text,
    agent text,
    user_name text,
    machine uuid,
    PRIMARY KEY ("timestamp", id)
) PARTITION BY RANGE ("timestamp");
CREATE TABLE IF NOT EXISTS context_usage_log_rest PARTITION OF context_usage_log DEFAULT;
CREATE INDEX IF NOT EXISTS context_usage_log_session ON context_usage_log (session_id, "timestamp");
CREATE INDEX IF NOT EXISTS context_usage_log_compaction
    ON context_usage_log ("timestamp") INCLUDE (session_id, usage_percent, previous_percent)
    WHERE compaction_detected;
CREATE INDEX IF NOT EXISTS context_usage_log_status
    ON context_usage_log (status, "timestamp") WHERE status <> 'HEALTHY';

-- Answers of the API, each once: these are additive. Tokens and cost come from here alone.
CREATE TABLE IF NOT EXISTS context_usage_responses (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    session_id text NOT NULL,
    "timestamp" timestamptz NOT NULL,
    model_id text,
    tier text NOT NULL DEFAULT 'standard',
    is_sidechain boolean NOT NULL DEFAULT false,
    input_tokens integer NOT NULL DEFAULT 0,
    output_tokens integer NOT NULL DEFAULT 0,
    cache_creation_5m_tokens integer NOT NULL DEFAULT 0,
    cache_creation_1h_tokens integer NOT NULL DEFAULT 0,
    cache_read_tokens integer NOT NULL DEFAULT 0,
    web_searches integer NOT NULL DEFAULT 0,
    context_tokens integer NOT NULL DEFAULT 0,
    project text,
    agent text,
    user_name text,
    machine uuid,
    created_at timestamptz DEFAULT now(),
    PRIMARY KEY ("timestamp", id)
) PARTITION BY RANGE ("timestamp");
CREATE TABLE IF NOT EXISTS context_usage_responses_rest PARTITION OF context_usage_responses DEFAULT;
CREATE INDEX IF NOT EXISTS context_usage_responses_session ON context_usage_responses (session_id, "timestamp");

-- Compactions as transcripts tell them, with the tokens before and after.
CREATE TABLE IF NOT EXISTS context_usage_compactions (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    session_id text NOT NULL,
    "timestamp" timestamptz NOT NULL,
    model_id text,
    is_auto boolean NOT NULL DEFAULT false,
    tokens_before integer NOT NULL DEFAULT 0,
    tokens_after integer,
    project text,
    agent text,
    user_name text,
    machine uuid,
    created_at timestamptz DEFAULT now(),
    PRIMARY KEY ("timestamp", id)
) PARTITION BY RANGE ("timestamp");
CREATE TABLE IF NOT EXISTS context_usage_compactions_rest PARTITION OF context_usage_compactions DEFAULT;
CREATE INDEX IF NOT EXISTS context_usage_compactions_session ON context_usage_compactions (session_id, "timestamp");

-- A day of the whole fleet. Tokens are sums of responses; percentages and compactions come from the snapshots.
CREATE TABLE IF NOT EXISTS context_usage_daily (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    date date NOT NULL UNIQUE,
    total_sessions integer DEFAULT 0,
    total_entries integer DEFAULT 0,
    avg_usage_percent decimal(5,2),
    max_usage_percent smallint,
    min_usage_percent smallint,
    total_input_tokens bigint DEFAULT 0,
    total_output_tokens bigint DEFAULT 0,
    total_cache_read_tokens bigint DEFAULT 0,
    total_cache_creation_tokens bigint DEFAULT 0,
    compaction_count integer DEFAULT 0,
    warning_count integer DEFAULT 0,
    critical_count integer DEFAULT 0,
    emergency_count integer DEFAULT 0,
    cache_hit_ratio decimal(5,2),
    avg_session_duration_minutes integer,
    aggregated_at timestamptz DEFAULT now(),
    total_responses integer DEFAULT 0,
    aggregation_ms integer
);
COMMENT ON COLUMN context_usage_daily.cache_hit_ratio IS
    'tokens read from the cache / tokens read from or written to it, 0 to 1; null without any';

-- Makes sure that the months which these instants fall into have partitions. Months before 2020 or more than two
-- months ahead get none: a wrong clock must not make thousands, and the default partition takes such rows.
CREATE OR REPLACE FUNCTION throughline_ensure_months(p_instants timestamptz[]) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_month timestamptz;
    v_end timestamptz;
    v_parent text;
    v_child text;
    v_made integer := 0;
BEGIN
    FOR v_month IN
        SELECT DISTINCT date_trunc('month', i, 'UTC') FROM unnest(p_instants) AS i
        WHERE i >= '2020-01-01 00:00:00+00' AND i < now() + interval '2 months' ORDER BY 1
    LOOP
        -- One month more of UTC, whatever the session's zone is.
        v_end := ((v_month AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC';
        FOREACH v_parent IN ARRAY ARRAY['context_usage_log', 'context_usage_responses', 'context_usage_compactions']
        LOOP
            v_child := v_parent || to_char(v_month AT TIME ZONE 'UTC', '_YYYY_MM');
            IF to_regclass(v_child) IS NOT NULL THEN CONTINUE; END IF;
            PERFORM pg_advisory_xact_lock(7307129, 2);
            -- Asked of the table itself: to_regclass remembers that there was none a moment ago.
            IF EXISTS (SELECT FROM pg_class
                WHERE relname = v_child AND relnamespace = current_schema()::regnamespace) THEN CONTINUE; END IF;
            -- Made beside and attached: that blocks neither readers nor writers of the other months.
            EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', v_child, v_parent);
            EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_child);
            EXECUTE format(
                'WITH moved AS (DELETE FROM %I WHERE "timestamp" >= %L AND "timestamp" < %L RETURNING *) '
                'INSERT INTO %I SELECT * FROM moved', v_parent || '_rest', v_month, v_end, v_child);
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                v_parent, v_child, v_month, v_end);
            PERFORM throughline_close(v_child);
            v_made := v_made + 1;
        END LOOP;
    END LOOP;
    RETURN v_made;
END $$;

-- Takes a table away from the roles through which a Supabase project answers strangers: partitions and bookkeeping
-- are reached through the tables above or not at all.
CREATE OR REPLACE FUNCTION throughline_close(p_table text) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    v_role text;
BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', p_table);
    FOR v_role IN SELECT rolname FROM pg_roles WHERE rolname IN ('anon', 'authenticated') LOOP
        EXECUTE format('REVOKE ALL ON %I FROM %I', p_table, v_role);
    END LOOP;
END $$;

-- Makes the summary of one day of the fleet's zone; the day before today when none is named. A day without anything
-- has no row. Two at once work one after the other, so that the later one always sees what the earlier one saw.
CREATE OR REPLACE FUNCTION aggregate_context_usage_daily(p_date date DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_zone text := (SELECT day_zone FROM throughline_fleet);
    v_date date := coalesce(p_date, (now() AT TIME ZONE v_zone)::date - 1);
    v_start timestamptz := v_date::timestamp AT TIME ZONE v_zone;
    v_end timestamptz := (v_date + 1)::timestamp AT TIME ZONE v_zone;
    v_began timestamptz := clock_timestamp();
BEGIN
    PERFORM pg_advisory_xact_lock(7307130, v_date - date '2000-01-01');
    DELETE FROM throughline_days_due WHERE day = v_date;
    WITH samples AS (
        SELECT session_id, count(*) AS entries, sum(usage_percent) AS percents,
            max(usage_percent) AS top, min(usage_percent) AS low,
            count(*) FILTER (WHERE compaction_detected) AS compactions,
            count(*) FILTER (WHERE status = 'WARNING') AS warnings,
            count(*) FILTER (WHERE status = 'CRITICAL') AS criticals,
            count(*) FILTER (WHERE status = 'EMERGENCY') AS emergencies,
            min("timestamp") AS first_at, max("timestamp") AS last_at
        FROM context_usage_log WHERE "timestamp" >= v_start AND "timestamp" < v_end GROUP BY session_id
    ), responses AS (
        SELECT session_id, count(*) AS answers, sum(input_tokens) AS input, sum(output_tokens) AS output,
            sum(cache_read_tokens) AS read,
            sum(cache_creation_5m_tokens::bigint + cache_creation_1h_tokens) AS creation,
            min("timestamp") AS first_at, max("timestamp") AS last_at
        FROM context_usage_responses WHERE "timestamp" >= v_start AND "timestamp" < v_end GROUP BY session_id
    ), sessions AS (
        SELECT s.entries, s.percents, s.top, s.low, s.compactions, s.warnings, s.criticals, s.emergencies,
            r.answers, r.input, r.output, r.read, r.creation,
            greatest(s.last_at, r.last_at) - least(s.first_at, r.first_at) AS lasted
        FROM samples s FULL JOIN responses r USING (session_id)
    )
    INSERT INTO context_usage_daily AS daily (
        date, total_sessions, total_entries, avg_usage_percent, max_usage_percent, min_usage_percent,
        total_input_tokens, total_output_tokens, total_cache_read_tokens, total_cache_creation_tokens,
        compaction_count, warning_count, critical_count, emergency_count, cache_hit_ratio,
        avg_session_duration_minutes, total_responses, aggregated_at)
    SELECT v_date, count(*), coalesce(sum(entries), 0),
        least(sum(percents)::numeric / nullif(sum(entries), 0), 999.99), max(top), min(low),
        coalesce(sum(input), 0), coalesce(sum(output), 0), coalesce(sum(read), 0), coalesce(sum(creation), 0),
        coalesce(sum(compactions), 0), coalesce(sum(warnings), 0), coalesce(sum(criticals), 0),
        coalesce(sum(emergencies), 0), sum(read)::numeric / nullif(sum(read) + sum(creation), 0),
        round(avg(extract(epoch FROM lasted)) / 60), coalesce(sum(answers), 0), clock_timestamp()
    FROM sessions HAVING count(*) > 0
    ON CONFLICT (date) DO UPDATE SET
        total_sessions = excluded.total_sessions,
        total_entries = excluded.total_entries,
        avg_usage_percent = excluded.avg_usage_percent,
        max_usage_percent = excluded.max_usage_percent,
        min_usage_percent = excluded.min_usage_percent,
        total_input_tokens = excluded.total_input_tokens,
        total_output_tokens = excluded.total_output_tokens,
        total_cache_read_tokens = excluded.total_cache_read_tokens,
        total_cache_creation_tokens = excluded.total_cache_creation_tokens,
        compaction_count = excluded.compaction_count,
        warning_count = excluded.warning_count,
        critical_count = excluded.critical_count,
        emergency_count = excluded.emergency_count,
        cache_hit_ratio = excluded.cache_hit_ratio,
        avg_session_duration_minutes = excluded.avg_session_duration_minutes,
        total_responses = excluded.total_responses,
        aggregated_at = excluded.aggregated_at;
    IF FOUND THEN
        UPDATE context_usage_daily
        SET aggregation_ms = extract(epoch FROM clock_timestamp() - v_began) * 1000 WHERE date = v_date;
    ELSE
        DELETE FROM context_usage_daily WHERE date = v_date;
    END IF;
END $$;

-- Makes the summaries that are due, at most p_limit days; returns how many days could be made at once by another call.
-- A day that took long is left for a while (twenty times as long), so that a thousand senders do not make it a
-- thousand times: whoever comes after that makes it.
CREATE OR REPLACE FUNCTION throughline_make_days(p_limit integer DEFAULT 31) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_day date;
BEGIN
    FOR v_day IN
        SELECT due.day FROM (SELECT DISTINCT day FROM throughline_days_due) AS due
        LEFT JOIN context_usage_daily made ON made.date = due.day
        WHERE made.date IS NULL OR coalesce(made.aggregation_ms, 0) < 250
            OR made.aggregated_at < clock_timestamp() - make_interval(secs => made.aggregation_ms * 0.02)
        ORDER BY due.day LIMIT p_limit
    LOOP
        PERFORM aggregate_context_usage_daily(v_day);
    END LOOP;
    RETURN (
        SELECT count(DISTINCT due.day) FROM throughline_days_due due
        LEFT JOIN context_usage_daily made ON made.date = due.day
        WHERE made.date IS NULL OR coalesce(made.aggregation_ms, 0) < 250
    );
END $$;

-- Sessions of the last 24 hours. The caller's own rights count, not the owner's.
CREATE OR REPLACE VIEW v_context_usage_recent WITH (security_invoker = true) AS
SELECT session_id,
    min("timestamp") AS session_start,
    max("timestamp") AS session_end,
    max(usage_percent) AS peak_usage,
    avg(usage_percent)::integer AS avg_usage,
    count(*) FILTER (WHERE compaction_detected) AS compactions,
    (array_agg(model_id ORDER BY "timestamp" DESC))[1] AS model,
    extract(epoch FROM max("timestamp") - min("timestamp")) / 60 AS duration_minutes,
    (array_agg(project ORDER BY "timestamp" DESC))[1] AS project,
    (array_agg(user_name ORDER BY "timestamp" DESC))[1] AS user_name
FROM context_usage_log
WHERE "timestamp" >= now() - interval '24 hours'
GROUP BY session_id
ORDER BY session_start DESC;

-- The last days in one row. Cache efficiency is 100 * read / (read + created), from responses where there are any.
CREATE OR REPLACE FUNCTION get_context_usage_summary(p_days integer DEFAULT 7)
RETURNS TABLE (
    total_sessions bigint, total_entries bigint, avg_usage_percent decimal, max_usage_percent smallint,
    compaction_count bigint, warning_count bigint, critical_count bigint, cache_efficiency decimal
) LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    WITH samples AS (
        SELECT count(DISTINCT session_id) AS sessions, count(*) AS entries,
            round(avg(usage_percent), 2) AS average, max(usage_percent) AS top,
            count(*) FILTER (WHERE compaction_detected) AS compactions,
            count(*) FILTER (WHERE status = 'WARNING') AS warnings,
            count(*) FILTER (WHERE status IN ('CRITICAL', 'EMERGENCY')) AS criticals,
            sum(cache_read_tokens)::numeric AS read,
            sum(cache_read_tokens::bigint + cache_creation_tokens)::numeric AS cached
        FROM context_usage_log WHERE "timestamp" >= now() - make_interval(days => p_days)
    ), responses AS (
        SELECT sum(cache_read_tokens)::numeric AS read,
            sum(cache_read_tokens::bigint + cache_creation_5m_tokens + cache_creation_1h_tokens)::numeric AS cached
        FROM context_usage_responses WHERE "timestamp" >= now() - make_interval(days => p_days)
    )
    SELECT s.sessions, s.entries, s.average, s.top, s.compactions, s.warnings, s.criticals,
        round(coalesce(100 * r.read / nullif(r.cached, 0), 100 * s.read / nullif(s.cached, 0), 0), 2)
    FROM samples s, responses r
$$;

-- How full contexts were before and after compactions. Before is the sample before this one in the same session: the
-- row says it, and where it does not (rows written by hand) it is looked up.
CREATE OR REPLACE FUNCTION get_compaction_analysis()
RETURNS TABLE (
    total_compactions bigint, avg_pre_compaction_percent decimal, avg_post_compaction_percent decimal,
    estimated_compression_ratio decimal, common_trigger_threshold decimal
) LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    WITH events AS (
        SELECT after.usage_percent AS post, coalesce(after.previous_percent, before.usage_percent) AS pre
        FROM context_usage_log after
        LEFT JOIN LATERAL (
            SELECT earlier.usage_percent FROM context_usage_log earlier
            WHERE after.previous_percent IS NULL AND earlier.session_id = after.session_id
                AND earlier."timestamp" < after."timestamp"
            ORDER BY earlier."timestamp" DESC LIMIT 1
        ) before ON true
        WHERE after.compaction_detected
    )
    SELECT count(*), round(avg(pre), 2), round(avg(post), 2), round(avg(pre) / nullif(avg(post), 0), 2),
        round((percentile_cont(0.5) WITHIN GROUP (ORDER BY pre))::decimal, 2)
    FROM events WHERE pre IS NOT NULL
$$;

-- Who may what. Roles that do not exist are left out; run it again when one was made since:
--   SELECT throughline_apply_policies();
-- anon: nothing. authenticated, throughline_reader: read. service_role, throughline_writer: send.
CREATE OR REPLACE FUNCTION throughline_apply_policies() RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    v_data text[] := ARRAY[
        'context_usage_log', 'context_usage_responses', 'context_usage_compactions', 'context_usage_daily'];
    v_books text[] := ARRAY[
        'throughline_fleet', 'throughline_machines', 'throughline_days_due', 'throughline_migrations'];
    v_schema text := current_schema();
    v_table text;
    v_role text;
    v_function text;
BEGIN
    FOR v_table IN
        SELECT relname FROM pg_class WHERE relnamespace = v_schema::regnamespace AND relkind IN ('r', 'p')
            AND (relname = ANY (v_data || v_books)
                OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent IN (
                    SELECT to_regclass(t) FROM unnest(v_data) AS t)))
    LOOP
        PERFORM throughline_close(v_table);
    END LOOP;
    FOREACH v_function IN ARRAY ARRAY[
        'throughline_ensure_months(timestamptz[])', 'throughline_make_days(integer)', 'throughline_close(text)',
        'aggregate_context_usage_daily(date)', 'throughline_apply_policies()',
        'get_context_usage_summary(integer)', 'get_compaction_analysis()']
    LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM public', v_function);
        FOR v_role IN SELECT rolname FROM pg_roles WHERE rolname IN ('anon', 'authenticated') LOOP
            EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %I', v_function, v_role);
        END LOOP;
    END LOOP;
    FOR v_role IN SELECT rolname FROM pg_roles
        WHERE rolname IN ('authenticated', 'throughline_reader', 'service_role', 'throughline_writer')
    LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', v_schema, v_role);
        EXECUTE format('GRANT SELECT ON v_context_usage_recent TO %I', v_role);
        EXECUTE format('GRANT EXECUTE ON FUNCTION get_context_usage_summary(integer), get_compaction_analysis() TO %I',
            v_role);
        FOREACH v_table IN ARRAY v_data LOOP
            EXECUTE format('DROP POLICY IF EXISTS %I ON %I', 'throughline read ' || v_role, v_table);
            EXECUTE format('CREATE POLICY %I ON %I FOR SELECT TO %I USING (true)',
                'throughline read ' || v_role, v_table, v_role);
            EXECUTE format('GRANT SELECT ON %I TO %I', v_table, v_role);
        END LOOP;
    END LOOP;
    -- Machines read what the bookkeeping says of them, and the fleet's reports ask for machines' names.
    FOR v_role IN SELECT rolname FROM pg_roles
        WHERE rolname IN ('throughline_reader', 'service_role', 'throughline_writer')
    LOOP
        FOREACH v_table IN ARRAY v_books LOOP
            EXECUTE format('DROP POLICY IF EXISTS %I ON %I', 'throughline read ' || v_role, v_table);
            EXECUTE format('CREATE POLICY %I ON %I FOR SELECT TO %I USING (true)',
                'throughline read ' || v_role, v_table, v_role);
            EXECUTE format('GRANT SELECT ON %I TO %I', v_table, v_role);
        END LOOP;
    END LOOP;
    FOR v_role IN SELECT rolname FROM pg_roles WHERE rolname IN ('service_role', 'throughline_writer') LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION throughline_ensure_months(timestamptz[]), '
            'throughline_make_days(integer), aggregate_context_usage_daily(date) TO %I', v_role);
        FOREACH v_table IN ARRAY v_data || ARRAY['throughline_machines', 'throughline_days_due'] LOOP
            IF v_table = 'context_usage_daily' THEN CONTINUE; END IF;
            EXECUTE format('DROP POLICY IF EXISTS %I ON %I', 'throughline send ' || v_role, v_table);
            EXECUTE format('DROP POLICY IF EXISTS %I ON %I', 'throughline mend ' || v_role, v_table);
            EXECUTE format('CREATE POLICY %I ON %I FOR INSERT TO %I WITH CHECK (true)',
                'throughline send ' || v_role, v_table, v_role);
            EXECUTE format('CREATE POLICY %I ON %I FOR UPDATE TO %I USING (true) WITH CHECK (true)',
                'throughline mend ' || v_role, v_table, v_role);
            EXECUTE format('GRANT INSERT, UPDATE ON %I TO %I', v_table, v_role);
        END LOOP;
    END LOOP;
END $$;
SELECT throughline_apply_policies();

-- What was kept above comes in.
DO $$
BEGIN
    IF to_regclass('context_usage_log_before_throughline') IS NOT NULL THEN
        PERFORM throughline_ensure_months(
            (SELECT array_agg(DISTINCT date_trunc('month', "timestamp", 'UTC'))
             FROM context_usage_log_before_throughline));
        INSERT INTO context_usage_log (id, session_id, "timestamp", model_id, context_used, context_size,
            usage_percent, input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens, status,
            compaction_detected, working_directory, created_at)
        SELECT id, session_id, "timestamp", model_id, context_used, context_size,
            usage_percent, input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens, status,
            compaction_detected, working_directory, created_at
        FROM context_usage_log_before_throughline
        ON CONFLICT DO NOTHING;
        INSERT INTO throughline_days_due (day)
        SELECT DISTINCT ("timestamp" AT TIME ZONE 'UTC')::date FROM context_usage_log_before_throughline;
    END IF;
END $$;
