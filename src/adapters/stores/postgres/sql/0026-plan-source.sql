-- The bytes that a published plan was made of (X-108), as JSON; none where they were its own, nobody had them, or the publication
-- is older than this column.
ALTER TABLE keelson.plan_publications ADD COLUMN source text;
CREATE INDEX plan_publications_by_hash ON keelson.plan_publications (tenant_id, sha256, publication_pos);
