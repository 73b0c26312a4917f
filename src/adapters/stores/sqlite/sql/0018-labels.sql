-- What runs are found by: labels of their plan, and those that the plan makes of the input. Written with the run, never changed.
CREATE TABLE run_labels (
  run_key INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  -- As the run's own, so that a list walks the index in its order.
  created_at INTEGER NOT NULL,
  PRIMARY KEY (run_key, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_labels_value ON run_labels (tenant_id, name, value, created_at, run_key);

-- Runs of before were found by the labels of their plan alone.
INSERT INTO run_labels (run_key, name, value, tenant_id, created_at)
SELECT r.run_key, l.key, l.value, r.tenant_id, r.created_at
FROM plans p
JOIN json_each(CASE WHEN json_valid(p.text) THEN p.text ELSE '{}' END, '$.metadata.labels') AS l
JOIN runs r ON r.tenant_id = p.tenant_id AND r.plan_sha256 = p.sha256
WHERE instr(p.text, '"labels"') > 0 AND l.type = 'text' AND r.archived_at IS NULL
  AND length(l.key) <= 200 AND length(l.value) <= 200 AND instr(l.value, char(0)) = 0 AND instr(l.key, char(0)) = 0;
