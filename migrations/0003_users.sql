-- Columns of type bytea are sealed (src/privacy/columns.ts). A client_user_id is not: it is searched by its parts.
create table users (
  id uuid primary key,
  team_id uuid not null references teams on delete cascade,
  client_user_id text not null,
  fallback_time_zone text,
  fallback_time_zone_at timestamptz,
  fallback_birth_date bytea,
  fallback_birth_date_at timestamptz,
  ingestion_start date,
  ingestion_end date,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index users_by_team on users (team_id, id);
create index users_to_erase on users (deleted_at) where deleted_at is not null;

create table client_user_ids (
  team_id uuid not null references teams on delete cascade,
  client_user_id text not null,
  user_id uuid not null references users on delete cascade,
  primary key (team_id, client_user_id)
);
create index client_user_ids_by_user on client_user_ids (user_id);

create table user_info (
  user_id uuid primary key references users on delete cascade,
  team_id uuid not null,
  info bytea not null,
  updated_at timestamptz not null default now()
);
