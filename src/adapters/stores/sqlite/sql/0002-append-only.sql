-- Nobody changes the log (EVT-01). Two doors, each with a ticket: erasing values (P-34), archiving a whole ended run.
CREATE TABLE erasure_tickets (
  run_key INTEGER PRIMARY KEY,
  up_to_seq INTEGER NOT NULL
) STRICT;

CREATE TABLE archive_tickets (
  run_key INTEGER PRIMARY KEY,
  head_hash BLOB NOT NULL,
  archived INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TRIGGER events_never_change BEFORE UPDATE ON events
WHEN NOT (
  NEW.data IS NULL AND NEW.salt IS NULL
  AND NEW.run_key IS OLD.run_key AND NEW.seq IS OLD.seq AND NEW.event_type IS OLD.event_type
  AND NEW.idempotency_key IS OLD.idempotency_key AND NEW.record IS OLD.record AND NEW.chain_hash IS OLD.chain_hash
  AND NEW.terminal_slot IS OLD.terminal_slot AND NEW.persisted_at IS OLD.persisted_at
  AND EXISTS (SELECT 1 FROM erasure_tickets t WHERE t.run_key = OLD.run_key AND OLD.seq <= t.up_to_seq)
)
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: a stored event is never changed');
END;

CREATE TRIGGER events_never_go BEFORE DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM archive_tickets t WHERE t.run_key = OLD.run_key AND t.archived = 0)
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: a stored event is never deleted');
END;

-- INSERT OR REPLACE deletes without firing delete triggers. So rows come in only through a gate that the append path
-- opens and closes within its transaction: in every committed state it is closed.
CREATE TABLE log_gate (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  open INTEGER NOT NULL
) STRICT;

INSERT INTO log_gate VALUES (1, 0);

CREATE TRIGGER events_come_through_the_gate AFTER INSERT ON events
WHEN (SELECT open FROM log_gate WHERE one = 1) IS NOT 1
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: events are written by Keelson alone');
END;

-- A ticket is cut only for an ended run and its exact head, and takes the run's events with it: all, at once, once.
CREATE TRIGGER archive_only_ended BEFORE INSERT ON archive_tickets
WHEN NOT EXISTS (
  SELECT 1 FROM runs r WHERE r.run_key = NEW.run_key AND r.head_hash = NEW.head_hash
    AND r.status IN ('COMPLETED', 'FAILED', 'CANCELLED')
) OR NEW.archived <> 0
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: an archive ticket must equal the head of an ended run');
END;

CREATE TRIGGER archive_whole_run AFTER INSERT ON archive_tickets
BEGIN
  DELETE FROM events WHERE run_key = NEW.run_key;
  UPDATE archive_tickets SET archived = 1 WHERE run_key = NEW.run_key;
END;

CREATE TRIGGER archive_once BEFORE UPDATE ON archive_tickets
WHEN NEW.archived <> 1 OR NEW.run_key IS NOT OLD.run_key OR NEW.head_hash IS NOT OLD.head_hash
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: an archive ticket is used once');
END;
