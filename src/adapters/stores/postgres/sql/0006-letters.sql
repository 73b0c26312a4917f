-- One letter to a run (P-21). The run's row is locked first: a commit that empties the inbox at the same moment would
-- otherwise take a bell for silence.
CREATE FUNCTION keelson.put_letter(
  p_tenant_id text, p_run_id text, p_inbox_id text, p_kind text, p_body text, p_body_sha256 text, p_now bigint
) RETURNS TABLE (answer text, inbox_id text, kind text, body text, inserted_at bigint, consumed_seq bigint)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  v_key bigint;
  v_now bigint;
BEGIN
  SELECT r.run_key INTO v_key FROM keelson.runs r
    WHERE r.run_id = p_run_id AND r.tenant_id = p_tenant_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'no-run', NULL::text, NULL::text, NULL::text, NULL::bigint, NULL::bigint;
    RETURN;
  END IF;
  v_now := coalesce(p_now, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  INSERT INTO keelson.run_inbox (run_key, inbox_id, kind, body, inserted_at)
    VALUES (v_key, p_inbox_id, p_kind, p_body, v_now) ON CONFLICT (run_key, inbox_id) DO NOTHING;
  IF FOUND THEN
    UPDATE keelson.runs r SET inbox_since = v_now WHERE r.run_key = v_key AND r.inbox_since IS NULL;
    PERFORM pg_notify('keelson_wake', '');
    RETURN QUERY SELECT 'inserted', NULL::text, NULL::text, NULL::text, NULL::bigint, NULL::bigint;
    RETURN;
  END IF;
  RETURN QUERY SELECT
    CASE WHEN i.body_sha256 IS NULL AND i.body = p_body OR i.body_sha256 = p_body_sha256
      THEN 'duplicate' ELSE 'conflict' END,
    i.inbox_id, i.kind, i.body, i.inserted_at, i.consumed_seq
  FROM keelson.run_inbox i WHERE i.run_key = v_key AND i.inbox_id = p_inbox_id;
END $$;
