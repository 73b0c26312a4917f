-- A plan belongs to a tenant, and only what is published is found by its id. What is there goes to the tenants whose runs
-- use it, and to 'local' where none does; each was found by its id before, so each is published, in the order it came.
-- The table stays the same one: the rights on it were given by hand.
CREATE TEMPORARY TABLE plan_owners ON COMMIT DROP AS
SELECT o.tenant_id, p.sha256, p.plan_pos,
  row_number() OVER (PARTITION BY o.tenant_id, p.plan_id, p.plan_version ORDER BY p.plan_pos) > 1 AS replaces,
  row_number() OVER (PARTITION BY p.sha256 ORDER BY o.tenant_id) = 1 AS first
FROM keelson.plans p
JOIN (
  SELECT DISTINCT tenant_id, plan_sha256 FROM keelson.runs
  UNION ALL
  SELECT 'local', u.sha256 FROM keelson.plans u
  WHERE NOT EXISTS (SELECT 1 FROM keelson.runs r WHERE r.plan_sha256 = u.sha256)
) o ON o.plan_sha256 = p.sha256;

ALTER TABLE keelson.plans DROP CONSTRAINT plans_sha256_key;
DROP INDEX keelson.plans_by_id;
ALTER TABLE keelson.plans
  ADD COLUMN tenant_id text CHECK (tenant_id <> ''),
  ADD COLUMN replaces boolean;

INSERT INTO keelson.plans (tenant_id, sha256, plan_id, plan_version, text, replaces)
SELECT o.tenant_id, p.sha256, p.plan_id, p.plan_version, p.text, o.replaces
FROM keelson.plans p JOIN plan_owners o ON o.sha256 = p.sha256 AND NOT o.first
ORDER BY o.plan_pos, o.tenant_id;
UPDATE keelson.plans p SET tenant_id = o.tenant_id, replaces = o.replaces
FROM plan_owners o WHERE o.sha256 = p.sha256 AND o.first AND p.tenant_id IS NULL;

ALTER TABLE keelson.plans
  ALTER COLUMN tenant_id SET NOT NULL,
  ALTER COLUMN replaces SET NOT NULL,
  ADD UNIQUE (tenant_id, sha256);
CREATE INDEX plans_by_version ON keelson.plans (tenant_id, plan_id, plan_version, plan_pos);
-- The first bytes of an id and version: whatever comes after them must say that it replaces them.
CREATE UNIQUE INDEX plans_first ON keelson.plans (tenant_id, plan_id, plan_version) WHERE NOT replaces;

CREATE TABLE keelson.plan_publications (
  publication_pos bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id text NOT NULL,
  plan_id text NOT NULL,
  plan_version text NOT NULL,
  sha256 text NOT NULL,
  replaces boolean NOT NULL
);

INSERT INTO keelson.plan_publications (tenant_id, plan_id, plan_version, sha256, replaces)
SELECT p.tenant_id, p.plan_id, p.plan_version, p.sha256, p.replaces
FROM keelson.plans p JOIN plan_owners o ON o.tenant_id = p.tenant_id AND o.sha256 = p.sha256
ORDER BY o.plan_pos, o.tenant_id;

CREATE INDEX plan_publications_by_id ON keelson.plan_publications (tenant_id, plan_id, publication_pos);
CREATE INDEX plan_publications_by_version
  ON keelson.plan_publications (tenant_id, plan_id, plan_version, publication_pos);
CREATE UNIQUE INDEX plan_publications_first ON keelson.plan_publications (tenant_id, plan_id, plan_version)
  WHERE NOT replaces;

-- Whoever runs today must be able to run after the upgrade: the role may add and read, as with plans.
DO $$
BEGIN
  IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'keelson_runner') THEN
    GRANT SELECT, INSERT ON keelson.plan_publications TO keelson_runner;
  END IF;
END $$;
