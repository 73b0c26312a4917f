-- Limits for starts, changed while servers run; what is counted against them are grants of pools.
CREATE TABLE keelson.run_limits (
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  name text COLLATE "C" NOT NULL,
  max_running bigint,
  rate_per_minute bigint,
  when_full text NOT NULL CHECK (when_full IN ('REJECT', 'QUEUE', 'DELAY', 'REPLACE_OLDEST')),
  priority double precision NOT NULL,
  max_concurrent_steps bigint,
  set_by text NOT NULL,
  set_at bigint NOT NULL,
  PRIMARY KEY (tenant_id, name)
);

CREATE INDEX runs_queued ON keelson.runs (engine_type, tenant_id, run_key) WHERE status IN ('PENDING', 'APPROVED');
CREATE INDEX grants_run ON keelson.grants (run_key) WHERE slot = 'RUN';
