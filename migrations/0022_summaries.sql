-- One row a summary of a person's health data, whatever kind: activity of a day, a sleep, a workout, a device and others.
-- values are what is computed with: numbers, words of lists, times. texts and raw are sealed (src/privacy/columns.ts).
-- The hashes are keyed; by them a version is known that changes nothing.
create table summaries (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  team_id uuid not null,
  resource text not null,
  provider text not null,
  source_type text not null,
  key text not null,
  provider_id text,
  app_id text,
  device_id uuid,
  version timestamptz,
  calendar_date date,
  start_at timestamptz,
  end_at timestamptz,
  values jsonb not null,
  texts bytea,
  raw bytea not null,
  told_hash bytea not null,
  raw_hash bytea not null,
  stream_hash bytea,
  rev integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, id),
  unique (user_id, resource, provider, source_type, key)
);
create index summaries_by_day on summaries (team_id, user_id, resource, calendar_date);
create index summaries_by_id on summaries (team_id, id);

-- The points of a workout or a sleep, sealed, in parts that are small enough to be read, resealed and erased a few at a
-- time.
create table summary_streams (
  user_id uuid not null,
  summary_id uuid not null,
  part integer not null,
  team_id uuid not null,
  content bytea not null,
  primary key (user_id, summary_id, part),
  foreign key (user_id, summary_id) references summaries (user_id, id) on delete cascade
);

select wall_by_team('summaries', 'summary_streams');
