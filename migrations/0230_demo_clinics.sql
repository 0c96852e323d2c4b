-- The demo clinic of a team of a sandbox. `done` counts the steps that are taken. The transaction of a step raises it, so
-- a step is taken once.
create table demo_clinics (
  team_id uuid primary key references teams on delete cascade,
  state text not null default 'loading' check (state in ('loading', 'loaded', 'failed')),
  done integer not null default 0,
  -- How often the next step has failed since the clinic was requested.
  failures integer not null default 0,
  started_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  ended_at timestamptz
);
select create_team_policies('demo_clinics');
create index demo_clinics_loading on demo_clinics (updated_at) where state = 'loading';
