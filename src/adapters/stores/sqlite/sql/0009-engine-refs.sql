-- Most references only repeat the run's id, which has an index of its own. Being random, a second one would cost every
-- start another page of the log.
DROP INDEX IF EXISTS runs_engine_ref;
CREATE INDEX runs_engine_ref ON runs (tenant_id, engine_run_ref)
  WHERE engine_run_ref <> engine_type || '://' || run_id;
