-- A plan belongs to a tenant, and only what is published is found by its id. What is there goes to the tenants whose runs
-- use it, and to 'local' where none does; each was found by its id before, so each is published, in the order it came.
CREATE TABLE plans_of_tenants (
  plan_pos INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  sha256 TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  plan_version TEXT NOT NULL,
  text TEXT NOT NULL,
  replaces INTEGER NOT NULL,
  UNIQUE (tenant_id, sha256)
) STRICT;

INSERT INTO plans_of_tenants (tenant_id, sha256, plan_id, plan_version, text, replaces)
SELECT o.tenant_id, p.sha256, p.plan_id, p.plan_version, p.text,
  row_number() OVER (PARTITION BY o.tenant_id, p.plan_id, p.plan_version ORDER BY p.plan_pos) > 1
FROM plans p
JOIN (
  SELECT DISTINCT tenant_id, plan_sha256 FROM runs
  UNION ALL
  SELECT 'local', sha256 FROM plans WHERE sha256 NOT IN (SELECT plan_sha256 FROM runs)
) o ON o.plan_sha256 = p.sha256
ORDER BY p.plan_pos, o.tenant_id;

DROP TABLE plans;
ALTER TABLE plans_of_tenants RENAME TO plans;

CREATE INDEX plans_by_version ON plans (tenant_id, plan_id, plan_version);
-- The first bytes of an id and version: whatever comes after them must say that it replaces them.
CREATE UNIQUE INDEX plans_first ON plans (tenant_id, plan_id, plan_version) WHERE replaces = 0;

CREATE TABLE plan_publications (
  publication_pos INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  plan_version TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  replaces INTEGER NOT NULL
) STRICT;

INSERT INTO plan_publications (tenant_id, plan_id, plan_version, sha256, replaces)
SELECT tenant_id, plan_id, plan_version, sha256, replaces FROM plans ORDER BY plan_pos;

CREATE INDEX plan_publications_by_id ON plan_publications (tenant_id, plan_id);
CREATE INDEX plan_publications_by_version ON plan_publications (tenant_id, plan_id, plan_version);
CREATE UNIQUE INDEX plan_publications_first ON plan_publications (tenant_id, plan_id, plan_version)
  WHERE replaces = 0;
