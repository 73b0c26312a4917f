-- One run goes on, with events and nothing beside them: nearly every commit of a run that has the store to itself. It is
-- `commit_runs` for this case, with half its work: values come as they are, not as JSON, and nothing is looked for that such
-- a commit does not have. Waits for the row of its run; the answers are those of `commit_runs` (P-08, P-41, P-53).
CREATE FUNCTION keelson.commit_run(
  p_now bigint, p_key bigint, p_epoch bigint, p_expected bigint, p_unread boolean,
  p_next_seq bigint, p_head_hash bytea, p_status text, p_substatus text, p_next_wake_at bigint, p_rules_version integer,
  p_min_rules_version integer, p_started_at bigint, p_ended_at bigint, p_steps_total integer, p_steps_done integer,
  p_steps_failed integer, p_error_code text, p_owed boolean,
  p_seq bigint[], p_event_type text[], p_idempotency_key bytea[], p_chain_hash bytea[], p_record text[], p_data text[],
  p_salt bytea[], p_terminal_slot text[]
) RETURNS TABLE (verdict text, detail text, run_key bigint, at bigint) LANGUAGE plpgsql
-- As in commit_runs: a plan made while the tables were small must not outlive that.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_run record;
BEGIN
  SELECT r.tenant_id, r.status, r.epoch, r.next_seq, r.archived_at,
    CASE WHEN p_unread THEN r.inbox_since IS NOT NULL
      OR EXISTS (SELECT 1 FROM keelson.run_inbox i WHERE i.run_key = r.run_key AND i.consumed_seq IS NULL OFFSET 0)
      OR EXISTS (SELECT 1 FROM keelson.scope_pauses p WHERE p.active AND p.tenant_id IN ('', r.tenant_id)
        AND p.scope IN ('fleet', 'tenant', 'plan:' || r.plan_id) OFFSET 0)
      ELSE false END AS unread
  INTO v_run FROM keelson.runs r WHERE r.run_key = p_key FOR NO KEY UPDATE;
  run_key := p_key;
  IF NOT FOUND OR v_run.epoch <> p_epoch OR v_run.next_seq <> p_expected OR v_run.archived_at IS NOT NULL THEN
    verdict := 'conflict';
    RETURN NEXT;
    RETURN;
  ELSIF v_run.unread THEN
    verdict := 'unread';
    detail := keelson.unread_of(p_key, v_run.tenant_id);
    RETURN NEXT;
    RETURN;
  END IF;

  -- After the lock: the time of writing is not the time before a wait.
  at := coalesce(p_now, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  UPDATE keelson.runs r SET updated_at = at, next_seq = p_next_seq, head_hash = p_head_hash, status = p_status,
    substatus = p_substatus, next_wake_at = p_next_wake_at, rules_version = p_rules_version,
    min_rules_version = p_min_rules_version, started_at = p_started_at, ended_at = p_ended_at, steps_total = p_steps_total,
    steps_done = p_steps_done, steps_failed = p_steps_failed, error_code = p_error_code, owed = p_owed
  WHERE r.run_key = p_key;
  INSERT INTO keelson.events (run_key, persisted_at, seq, event_type, idempotency_key, chain_hash, record, data, salt,
    terminal_slot, generation, xid)
  SELECT p_key, at, e.seq, e.event_type, e.idempotency_key, e.chain_hash, e.record, e.data, e.salt, e.terminal_slot,
    (SELECT g.generation FROM keelson.feed_generation g WHERE g.only_row), pg_current_xact_id()
  FROM unnest(p_seq, p_event_type, p_idempotency_key, p_chain_hash, p_record, p_data, p_salt, p_terminal_slot)
    AS e(seq, event_type, idempotency_key, chain_hash, record, data, salt, terminal_slot);
  IF v_run.status <> p_status THEN
    INSERT INTO keelson.status_counts AS t (tenant_id, status, writer, runs)
    VALUES (v_run.tenant_id, v_run.status, pg_backend_pid(), -1), (v_run.tenant_id, p_status, pg_backend_pid(), 1)
    ON CONFLICT (tenant_id, status, writer) DO UPDATE SET runs = t.runs + excluded.runs;
  END IF;
  verdict := 'write';
  RETURN NEXT;
END $$;

-- A list of all statuses walks the runs of each (list.ts): two indexes less that every start and every end would have to keep.
DROP INDEX keelson.runs_created;
DROP INDEX keelson.runs_plan;
