-- The log is the outbox (P-50): a subscriber pages runs by feed_pos and keeps for each run how far it is settled.
CREATE TABLE feed_cursors (
  subscriber TEXT PRIMARY KEY,
  feed_pos INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE feed_positions (
  subscriber TEXT NOT NULL,
  run_key INTEGER NOT NULL,
  settled_seq INTEGER NOT NULL,
  PRIMARY KEY (subscriber, run_key)
) STRICT, WITHOUT ROWID;

-- Runs the cursor has passed that are not settled: after a failed delivery, or because nobody settled what was read.
CREATE TABLE feed_backlog (
  subscriber TEXT NOT NULL,
  run_key INTEGER NOT NULL,
  retry_at INTEGER NOT NULL,
  -- Failed deliveries of the first event that is not settled; 0 when none failed.
  attempts INTEGER NOT NULL,
  PRIMARY KEY (subscriber, run_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX feed_backlog_due ON feed_backlog (subscriber, retry_at);
CREATE INDEX feed_backlog_run ON feed_backlog (run_key);
CREATE INDEX feed_positions_run ON feed_positions (run_key);

CREATE TABLE feed_dead (
  dead_pos INTEGER PRIMARY KEY,
  subscriber TEXT NOT NULL,
  run_key INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  error TEXT NOT NULL,
  dead_at INTEGER NOT NULL,
  UNIQUE (subscriber, run_key, seq)
) STRICT;

CREATE INDEX feed_dead_order ON feed_dead (subscriber, dead_pos);
CREATE INDEX feed_dead_run ON feed_dead (run_key);
