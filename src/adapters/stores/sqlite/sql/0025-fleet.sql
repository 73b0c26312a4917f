-- Operations on many runs at once: what is to be done, the runs that were chosen, and what came of each.
CREATE TABLE operations (
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  operation_id TEXT NOT NULL,
  revision INTEGER NOT NULL CHECK (revision > 0),
  -- When somebody must carry it on; nobody has to where it is empty.
  due_at INTEGER,
  created_at INTEGER NOT NULL,
  -- A JSON object.
  body TEXT NOT NULL,
  PRIMARY KEY (tenant_id, operation_id)
) STRICT;

CREATE INDEX operations_due ON operations (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX operations_created ON operations (tenant_id, created_at, operation_id);

CREATE TABLE operation_runs (
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  operation_id TEXT NOT NULL,
  -- Its place in the order in which the runs have their turn.
  place INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('OPEN', 'DONE', 'LEFT', 'APPROVAL', 'REFUSED')),
  -- Of a refusal.
  code TEXT,
  PRIMARY KEY (tenant_id, operation_id, place)
) STRICT;

CREATE UNIQUE INDEX operation_runs_run ON operation_runs (tenant_id, operation_id, run_id);
CREATE INDEX operation_runs_outcome ON operation_runs (tenant_id, operation_id, outcome, place);

-- When somebody asked for a dead letter to be delivered once more; whoever follows under that name does so.
ALTER TABLE feed_dead ADD COLUMN asked_at INTEGER;
