-- The log as it is written: a row for each append of a run, in the order of writing, which is the order of the feed too (P-50).
-- What the events of an append have in common is written once. docs/adr/0014-the-log-as-appends.md says why.
CREATE TABLE appends (
  pos INTEGER PRIMARY KEY,
  run_key INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL CHECK (last_seq >= first_seq),
  persisted_at INTEGER NOT NULL,
  -- 32 bytes for each event.
  chain_hashes BLOB NOT NULL CONSTRAINT chain_hash CHECK (length(chain_hashes) = 32 * (last_seq - first_seq + 1)),
  -- Of each event that has data: its place in the append, how long its salt (hex) and its data are, then both. Erasure takes them
  -- from the front; NULL when none has any, or no longer. Lengths are those of the text as UTF-16.
  data TEXT,
  -- Of each event: how long its record and the slot that it ends are, then both.
  records TEXT NOT NULL
) STRICT;

-- No two events of a run have one key (BLOB), and no two end one slot (TEXT). Beside the run the step comes first, so that the keys of
-- a step lie together: a key alone, being a hash, would put every event of a long run on a page of its own.
CREATE TABLE event_keys (
  run_key INTEGER NOT NULL,
  step TEXT NOT NULL,
  key ANY NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (run_key, step, key)
) STRICT, WITHOUT ROWID;

-- The newest position that was ever archived: no later append takes it again, or a follower that had read it would pass over that.
CREATE TABLE feed_floor (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  pos INTEGER NOT NULL
) STRICT;

INSERT INTO feed_floor VALUES (1, 0);

-- here copy-log.ts copies the log

CREATE UNIQUE INDEX appends_of_run ON appends (run_key, last_seq);

-- A process of an earlier version that still has this file open finds neither the table nor the gate, and can append nothing. Nor can
-- it renew its leases, so that its runs are free for others when those run out.
DROP TRIGGER archive_whole_run;
DROP TABLE events;
DROP TABLE log_gate;
DROP INDEX runs_feed;
ALTER TABLE runs DROP COLUMN feed_pos;
ALTER TABLE runs RENAME COLUMN lease_until TO leased_until;

-- Nobody changes the log (EVT-01). Of the two doors that 0002 describes, erasure takes values from the front of an append.
CREATE TRIGGER appends_never_change BEFORE UPDATE ON appends
WHEN NOT (
  NEW.pos IS OLD.pos AND NEW.run_key IS OLD.run_key AND NEW.first_seq IS OLD.first_seq AND NEW.last_seq IS OLD.last_seq
  AND NEW.persisted_at IS OLD.persisted_at AND NEW.chain_hashes IS OLD.chain_hashes AND NEW.records IS OLD.records
  AND EXISTS (SELECT 1 FROM erasure_tickets t WHERE t.run_key = OLD.run_key AND OLD.first_seq <= t.up_to_seq
    AND (NEW.data IS NULL OR OLD.last_seq > t.up_to_seq AND NEW.data <> '' AND substr(OLD.data, -length(NEW.data)) = NEW.data))
)
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: a stored event is never changed');
END;

CREATE TRIGGER appends_never_go BEFORE DELETE ON appends
WHEN NOT EXISTS (SELECT 1 FROM archive_tickets t WHERE t.run_key = OLD.run_key AND t.archived = 0)
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: a stored event is never deleted');
END;

-- INSERT OR REPLACE deletes without firing delete triggers. So an append comes in only where nothing is that could be replaced: at the
-- head to which its run's row was moved before, in the same transaction, and after the end of the feed.
CREATE TRIGGER appends_come_at_the_head BEFORE INSERT ON appends
BEGIN
  SELECT RAISE(ABORT, 'appends.last_seq: EVENTS_APPEND_ONLY, the run has this event')
  WHERE EXISTS (SELECT 1 FROM appends a WHERE a.run_key = NEW.run_key AND a.last_seq >= NEW.first_seq);
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: events are written by Keelson alone, at the head of their run')
  WHERE NEW.last_seq + 1 IS NOT (SELECT next_seq FROM runs r WHERE r.run_key = NEW.run_key)
    OR NEW.pos <= coalesce((SELECT max(pos) FROM appends), 0) OR (NEW.pos > (SELECT pos FROM feed_floor)) IS NOT 1;
END;

CREATE TRIGGER event_keys_never_change BEFORE UPDATE ON event_keys
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: a key of an event is never changed');
END;

CREATE TRIGGER event_keys_never_go BEFORE DELETE ON event_keys
WHEN NOT EXISTS (SELECT 1 FROM archive_tickets t WHERE t.run_key = OLD.run_key AND t.archived = 0)
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: a key of an event is never deleted');
END;

CREATE TRIGGER feed_floor_only_rises BEFORE UPDATE ON feed_floor
WHEN NEW.one IS NOT OLD.one OR NEW.pos < OLD.pos
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: positions of the feed are used once');
END;

CREATE TRIGGER feed_floor_is_one BEFORE INSERT ON feed_floor
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: positions of the feed are used once');
END;

CREATE TRIGGER feed_floor_never_goes BEFORE DELETE ON feed_floor
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: positions of the feed are used once');
END;

-- Takes the run's events with it as before, and keeps the end of the feed.
CREATE TRIGGER archive_whole_run AFTER INSERT ON archive_tickets
BEGIN
  UPDATE feed_floor SET pos = max(pos, coalesce((SELECT a.pos FROM appends a WHERE a.run_key = NEW.run_key
    ORDER BY a.last_seq DESC LIMIT 1), 0));
  DELETE FROM appends WHERE run_key = NEW.run_key;
  DELETE FROM event_keys WHERE run_key = NEW.run_key;
  UPDATE archive_tickets SET archived = 1 WHERE run_key = NEW.run_key;
END;
