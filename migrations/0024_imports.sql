-- Files that a user's data is imported from. The file itself lies in the upload directory under the id of its row, as
-- long as its import is not done.
create table imports (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  team_id uuid not null,
  kind text not null check (kind in ('apple_health', 'fit', 'tcx', 'gpx')),
  -- uploading: the request that brings it is under way, and nobody is told of it yet.
  status text not null default 'uploading' check (status in ('uploading', 'queued', 'running', 'success', 'failure')),
  -- Of the file; while it is uploading what is set aside for it in the team's quota.
  bytes bigint not null,
  -- The part of the file that has been read, from 0 to 1.
  progress double precision not null default 0,
  -- Counted by the transactions that store: what they tell is there.
  created bigint not null default 0,
  updated bigint not null default 0,
  unchanged bigint not null default 0,
  outside_ingestion_bounds bigint not null default 0,
  skipped bigint not null default 0,
  -- A code, never a text of the file.
  error text,
  -- Who works on it: another try has another lease, and what holds an old one stores nothing more.
  lease uuid,
  lease_until timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  primary key (user_id, id)
);
create index imports_by_team on imports (team_id, status);
-- Whose turn it is: the last end of a team is looked up, however many imports have ended.
create index imports_by_team_end on imports (team_id, ended_at);
create index imports_to_do on imports (created_at) where status in ('queued', 'running');
create index imports_by_end on imports (ended_at) where ended_at is not null;

select wall_by_team('imports');
