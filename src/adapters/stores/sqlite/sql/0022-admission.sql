-- Limits for starts, changed while servers run; what is counted against them are grants of pools.
CREATE TABLE run_limits (
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  name TEXT NOT NULL,
  max_running INTEGER,
  rate_per_minute INTEGER,
  when_full TEXT NOT NULL CHECK (when_full IN ('REJECT', 'QUEUE', 'DELAY', 'REPLACE_OLDEST')),
  priority REAL NOT NULL,
  max_concurrent_steps INTEGER,
  set_by TEXT NOT NULL,
  set_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX runs_queued ON runs (engine_type, tenant_id, run_key) WHERE status IN ('PENDING', 'APPROVED');
CREATE INDEX grant_holds_run ON grant_holds (run_key) WHERE slot = 'RUN';
