-- Nobody changes the log (EVT-01). Two doors, each with a ticket: erasing values (P-34), archiving a whole ended run.
CREATE TABLE keelson.erasure_tickets (
  run_key bigint PRIMARY KEY,
  up_to_seq bigint NOT NULL
);

CREATE TABLE keelson.archive_tickets (
  run_key bigint PRIMARY KEY,
  head_hash bytea NOT NULL,
  archived boolean NOT NULL DEFAULT false
);

CREATE FUNCTION keelson.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'EVENTS_APPEND_ONLY: %', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION keelson.keep_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.data IS NULL AND NEW.salt IS NULL
    AND ROW(NEW.run_key, NEW.seq, NEW.persisted_at, NEW.event_type, NEW.idempotency_key, NEW.chain_hash, NEW.record,
            NEW.terminal_slot)
      IS NOT DISTINCT FROM
        ROW(OLD.run_key, OLD.seq, OLD.persisted_at, OLD.event_type, OLD.idempotency_key, OLD.chain_hash, OLD.record,
            OLD.terminal_slot)
    AND EXISTS (SELECT 1 FROM keelson.erasure_tickets t WHERE t.run_key = OLD.run_key AND OLD.seq <= t.up_to_seq)
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'EVENTS_APPEND_ONLY: a stored event is never changed' USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION keelson.let_event_go() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM keelson.archive_tickets t WHERE t.run_key = OLD.run_key AND NOT t.archived) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'EVENTS_APPEND_ONLY: a stored event is never deleted' USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER events_never_change BEFORE UPDATE ON keelson.events
  FOR EACH ROW EXECUTE FUNCTION keelson.keep_event();
CREATE TRIGGER events_never_go BEFORE DELETE ON keelson.events
  FOR EACH ROW EXECUTE FUNCTION keelson.let_event_go();
CREATE TRIGGER events_never_truncated BEFORE TRUNCATE ON keelson.events
  FOR EACH STATEMENT EXECUTE FUNCTION keelson.refuse('the log is never truncated');

-- A ticket is cut only for an ended run and its exact head, and takes the run's events with it: all, at once, once.
-- With the owner's rights, as below: whoever may cut a ticket needs no right to change runs or delete events otherwise.
CREATE FUNCTION keelson.check_archive_ticket() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Locked, so that nothing is appended between this look at the head and the end of the transaction.
  PERFORM 1 FROM keelson.runs r WHERE r.run_key = NEW.run_key AND r.head_hash = NEW.head_hash
    AND r.status IN ('COMPLETED', 'FAILED', 'CANCELLED') FOR SHARE;
  IF NOT FOUND OR NEW.archived THEN
    RAISE EXCEPTION 'EVENTS_APPEND_ONLY: an archive ticket must equal the head of an ended run'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION keelson.archive_run() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM keelson.events e WHERE e.run_key = NEW.run_key;
  UPDATE keelson.archive_tickets t SET archived = true WHERE t.run_key = NEW.run_key;
  RETURN NULL;
END $$;

CREATE FUNCTION keelson.use_archive_ticket_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.archived AND NEW.run_key = OLD.run_key AND NEW.head_hash = OLD.head_hash THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'EVENTS_APPEND_ONLY: an archive ticket is used once' USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER archive_only_ended BEFORE INSERT ON keelson.archive_tickets
  FOR EACH ROW EXECUTE FUNCTION keelson.check_archive_ticket();
CREATE TRIGGER archive_whole_run AFTER INSERT ON keelson.archive_tickets
  FOR EACH ROW EXECUTE FUNCTION keelson.archive_run();
CREATE TRIGGER archive_once BEFORE UPDATE ON keelson.archive_tickets
  FOR EACH ROW EXECUTE FUNCTION keelson.use_archive_ticket_once();

-- Always: session_replication_role does not switch them off.
ALTER TABLE keelson.events ENABLE ALWAYS TRIGGER events_never_change;
ALTER TABLE keelson.events ENABLE ALWAYS TRIGGER events_never_go;
ALTER TABLE keelson.events ENABLE ALWAYS TRIGGER events_never_truncated;
ALTER TABLE keelson.archive_tickets ENABLE ALWAYS TRIGGER archive_only_ended;
ALTER TABLE keelson.archive_tickets ENABLE ALWAYS TRIGGER archive_whole_run;
ALTER TABLE keelson.archive_tickets ENABLE ALWAYS TRIGGER archive_once;
