-- Views of the list of runs that people saved, for themselves or for their whole tenant.
CREATE TABLE keelson.views (
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  view_id text COLLATE "C" NOT NULL,
  owner_id text NOT NULL,
  shared integer NOT NULL CHECK (shared IN (0, 1)),
  name text NOT NULL,
  filter text NOT NULL,
  saved_at bigint NOT NULL,
  PRIMARY KEY (tenant_id, view_id)
);
