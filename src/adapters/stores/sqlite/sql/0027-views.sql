-- Views of the list of runs that people saved, for themselves or for their whole tenant.
CREATE TABLE views (
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  view_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  shared INTEGER NOT NULL CHECK (shared IN (0, 1)),
  name TEXT NOT NULL,
  filter TEXT NOT NULL,
  saved_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, view_id)
) STRICT, WITHOUT ROWID;
