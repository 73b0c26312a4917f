-- SQLite makes a table of its own for a list of three values, at each row that is written and for each index with such a condition: a
-- third of what the end of a one-step run cost. The same conditions as comparisons cost next to nothing (status.ts has their words).
DROP INDEX runs_wake;
DROP INDEX runs_owed;
DROP INDEX runs_inbox;
DROP INDEX runs_ended_inbox;
DROP INDEX runs_archivable;
CREATE INDEX runs_wake ON runs (next_wake_at) WHERE next_wake_at IS NOT NULL AND quarantine IS NULL
  AND status <> 'COMPLETED' AND status <> 'FAILED' AND status <> 'CANCELLED';
CREATE INDEX runs_owed ON runs (leased_until) WHERE owed = 1 AND quarantine IS NULL
  AND status <> 'COMPLETED' AND status <> 'FAILED' AND status <> 'CANCELLED';
CREATE INDEX runs_inbox ON runs (inbox_since) WHERE inbox_since IS NOT NULL AND quarantine IS NULL
  AND status <> 'COMPLETED' AND status <> 'FAILED' AND status <> 'CANCELLED';
CREATE INDEX runs_ended_inbox ON runs (inbox_since) WHERE inbox_since IS NOT NULL AND quarantine IS NULL
  AND (status = 'COMPLETED' OR status = 'FAILED' OR status = 'CANCELLED');
CREATE INDEX runs_archivable ON runs (ended_at) WHERE ended_at IS NOT NULL AND archived_at IS NULL
  AND (status = 'COMPLETED' OR status = 'FAILED' OR status = 'CANCELLED');
