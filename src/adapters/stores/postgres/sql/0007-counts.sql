-- How many runs are in each status, without a row that all writers fight for (P-41): each connection adds to rows of
-- its own, readers sum. Writer 0 holds what connections that are gone had counted.
LOCK TABLE keelson.runs IN EXCLUSIVE MODE;

CREATE TABLE keelson.status_counts (
  tenant_id text NOT NULL,
  status text NOT NULL,
  writer integer NOT NULL,
  runs bigint NOT NULL,
  PRIMARY KEY (tenant_id, status, writer)
) WITH (fillfactor = 50);

INSERT INTO keelson.status_counts (tenant_id, status, writer, runs)
SELECT r.tenant_id, r.status, 0, count(*) FROM keelson.runs r GROUP BY r.tenant_id, r.status;

-- One at a time. A row that somebody holds belongs to a new connection that got an old number: it is not ours to move.
CREATE FUNCTION keelson.gather_counts() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_setting('transaction_read_only') = 'on'
    OR NOT pg_try_advisory_xact_lock(hashtext('keelson.status_counts'))
  THEN
    RETURN;
  END IF;
  WITH idle AS (
    SELECT c.tenant_id, c.status, c.writer FROM keelson.status_counts c
    WHERE c.writer <> 0 AND NOT EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.pid = c.writer)
    FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM keelson.status_counts c USING idle
    WHERE c.tenant_id = idle.tenant_id AND c.status = idle.status AND c.writer = idle.writer
    RETURNING c.tenant_id, c.status, c.runs
  )
  INSERT INTO keelson.status_counts AS t (tenant_id, status, writer, runs)
  SELECT g.tenant_id, g.status, 0, sum(g.runs) FROM gone g GROUP BY g.tenant_id, g.status
  ON CONFLICT (tenant_id, status, writer) DO UPDATE SET runs = t.runs + excluded.runs;
END $$;

-- A list by plan and status walks exactly its rows, also when there are none.
CREATE INDEX runs_plan_status ON keelson.runs (tenant_id, plan_id, status, created_at, run_key);
