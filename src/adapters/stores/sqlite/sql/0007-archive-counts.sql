-- Archived runs, counts per status, and lists that name a plan and a status.
ALTER TABLE runs ADD COLUMN archived_at INTEGER;

CREATE INDEX runs_archivable ON runs (ended_at)
  WHERE ended_at IS NOT NULL AND archived_at IS NULL AND status IN ('COMPLETED', 'FAILED', 'CANCELLED');
CREATE INDEX runs_plan_status ON runs (tenant_id, plan_id, status, created_at);

CREATE TABLE status_counts (
  tenant_id TEXT NOT NULL,
  status TEXT NOT NULL,
  runs INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, status)
) STRICT, WITHOUT ROWID;

INSERT INTO status_counts SELECT tenant_id, status, count(*) FROM runs GROUP BY tenant_id, status;
