-- Processes that serve or work, with the encryption keys that each was given: by versions, never the keys. Each says
-- every ten seconds that it lives. Belongs to nobody; kept for an hour after it was seen last.
create table processes (
  id uuid primary key,
  role text not null,
  host text not null,
  pid integer not null,
  key_versions smallint[] not null,
  sealing_version smallint not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
grant select, insert, update, delete on processes to phial_app;
