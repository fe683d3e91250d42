-- A compaction says how full the context was before it, whoever wrote the row: the analysis then reads one small index.

-- Rows that were sent carry it. Rows written by hand, or taken over from an older table, are completed here, after the
-- whole statement, so that the order of its rows does not matter.
CREATE OR REPLACE FUNCTION throughline_complete_compaction() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE context_usage_log AS done SET previous_percent = (
        SELECT earlier.usage_percent FROM context_usage_log earlier
        WHERE earlier.session_id = NEW.session_id AND earlier."timestamp" < NEW."timestamp"
        ORDER BY earlier."timestamp" DESC LIMIT 1)
    WHERE done."timestamp" = NEW."timestamp" AND done.id = NEW.id AND done.previous_percent IS NULL;
    RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION throughline_complete_compaction() FROM public;

DROP TRIGGER IF EXISTS throughline_complete_compaction ON context_usage_log;
CREATE TRIGGER throughline_complete_compaction AFTER INSERT ON context_usage_log FOR EACH ROW
    WHEN (NEW.compaction_detected AND NEW.previous_percent IS NULL)
    EXECUTE FUNCTION throughline_complete_compaction();

UPDATE context_usage_log AS done SET previous_percent = (
    SELECT earlier.usage_percent FROM context_usage_log earlier
    WHERE earlier.session_id = done.session_id AND earlier."timestamp" < done."timestamp"
    ORDER BY earlier."timestamp" DESC LIMIT 1)
WHERE done.compaction_detected AND done.previous_percent IS NULL;

-- How full contexts were before and after compactions. Before is the sample before this one in the same session; it is
-- looked up only where the row does not say it (triggers may be switched off while rows are loaded).
CREATE OR REPLACE FUNCTION get_compaction_analysis()
RETURNS TABLE (
    total_compactions bigint, avg_pre_compaction_percent decimal, avg_post_compaction_percent decimal,
    estimated_compression_ratio decimal, common_trigger_threshold decimal
) LANGUAGE sql STABLE SET search_path FROM CURRENT SET jit TO off AS $$
    WITH events AS MATERIALIZED (
        SELECT after.usage_percent AS post, CASE
            WHEN after.previous_percent IS NOT NULL THEN after.previous_percent
            ELSE (
                SELECT earlier.usage_percent FROM context_usage_log earlier
                WHERE earlier.session_id = after.session_id AND earlier."timestamp" < after."timestamp"
                ORDER BY earlier."timestamp" DESC LIMIT 1)
            END AS pre
        FROM context_usage_log after
        WHERE after.compaction_detected
    )
    SELECT count(*), round(avg(pre), 2), round(avg(post), 2), round(avg(pre) / nullif(avg(post), 0), 2),
        round((percentile_cont(0.5) WITHIN GROUP (ORDER BY pre))::decimal, 2)
    FROM events WHERE pre IS NOT NULL
$$;
