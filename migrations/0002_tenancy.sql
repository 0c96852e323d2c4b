-- What this database serves: a program of another environment or region refuses to start on it.
create table deployment (
  only_row boolean primary key default true check (only_row),
  environment text not null check (environment in ('sandbox', 'production')),
  region text not null check (region in ('us', 'eu')),
  -- Key of the hashes that names are looked up by; null where the operator keeps it outside (PHIAL_LOOKUP_KEY).
  lookup_key bytea,
  lookup_key_check bytea not null,
  created_at timestamptz not null default now()
);

-- Versions of the key that personal columns are sealed under. The first process that seals under a version adds it;
-- `phial rotate-keys` takes it away when nothing is sealed under it. A process without one of them does not start.
create table encryption_keys (
  version smallint primary key check (version between 1 and 255),
  key_check bytea not null,
  -- The key itself, where a sandbox was given none.
  made_key bytea,
  created_at timestamptz not null default now()
);
revoke update, delete, truncate on encryption_keys from phial_app;

create table orgs (
  id uuid primary key,
  name text not null,
  plan text not null check (plan in ('launch', 'grow', 'scale')),
  created_at timestamptz not null default now()
);

create table teams (
  id uuid primary key,
  org_id uuid not null references orgs,
  name text not null,
  integration_team_id text,
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  -- From here on its keys are refused and nobody finds it, until everything of it is erased.
  deleted_at timestamptz
);
create index teams_by_org on teams (org_id, id);
create unique index teams_integration on teams (org_id, integration_team_id) where integration_team_id is not null;

create table team_api_keys (
  id uuid primary key,
  team_id uuid not null references teams on delete cascade,
  label text not null,
  key_hash bytea not null unique,
  key_start text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz
);
create index team_api_keys_by_team on team_api_keys (team_id, id);

create table management_keys (
  id uuid primary key,
  org_id uuid not null references orgs,
  label text not null,
  role text not null check (role in ('org_admin', 'team_admin')),
  team_ids uuid[],
  key_hash bytea not null unique,
  key_start text not null,
  -- The management key that made it; null where the operator did, on the command line.
  created_by uuid,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  check ((role = 'team_admin') = (team_ids is not null))
);
create index management_keys_by_org on management_keys (org_id, id);

-- Whoever caches keys or settings listens to this: the payload is not needed, everything cached is dropped.
create function notify_access_changed() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_notify('phial_access', '');
  return null;
end $$;
create trigger team_api_keys_changed after update or delete on team_api_keys
  for each statement execute function notify_access_changed();
create trigger management_keys_changed after update or delete on management_keys
  for each statement execute function notify_access_changed();
create trigger orgs_changed after update or delete on orgs
  for each statement execute function notify_access_changed();
create trigger teams_changed after update or delete on teams
  for each statement execute function notify_access_changed();
