-- What runs are found by: labels of their plan, and those that the plan makes of the input. Written with the run, never changed.
CREATE TABLE keelson.run_labels (
  run_key bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  -- As the run's own, so that a list walks the index in its order.
  created_at bigint NOT NULL,
  PRIMARY KEY (run_key, name)
);
CREATE INDEX run_labels_value ON keelson.run_labels (tenant_id, name, value, created_at, run_key);

-- Runs of before were found by the labels of their plan alone. A plan whose bytes were altered is told by verify.
DO $$
DECLARE
  v_plan record;
BEGIN
  FOR v_plan IN SELECT p.tenant_id, p.sha256, p.text FROM keelson.plans p WHERE strpos(p.text, '"labels"') > 0
  LOOP
    BEGIN
      INSERT INTO keelson.run_labels (run_key, name, value, tenant_id, created_at)
      SELECT r.run_key, l.key, l.value, r.tenant_id, r.created_at
      FROM json_each_text(v_plan.text::json -> 'metadata' -> 'labels') AS l(key, value)
      JOIN keelson.runs r ON r.tenant_id = v_plan.tenant_id AND r.plan_sha256 = v_plan.sha256
      WHERE r.archived_at IS NULL AND length(l.key) <= 200 AND length(l.value) <= 200;
    EXCEPTION WHEN data_exception OR invalid_text_representation THEN
      NULL;
    END;
  END LOOP;
END $$;

-- Erasure (P-34) and archiving: as before, and what was made of the input goes with it.
CREATE FUNCTION keelson.remove_labels() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM keelson.run_labels l WHERE l.run_key = NEW.run_key;
  RETURN NULL;
END $$;
CREATE TRIGGER erase_labels AFTER INSERT ON keelson.erasure_tickets
  FOR EACH ROW EXECUTE FUNCTION keelson.remove_labels();
ALTER TABLE keelson.erasure_tickets ENABLE ALWAYS TRIGGER erase_labels;
CREATE TRIGGER archive_labels AFTER INSERT ON keelson.archive_tickets
  FOR EACH ROW EXECUTE FUNCTION keelson.remove_labels();
ALTER TABLE keelson.archive_tickets ENABLE ALWAYS TRIGGER archive_labels;
