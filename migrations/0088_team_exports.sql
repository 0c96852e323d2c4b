-- The export of a team that is under way: one at a time, for as long as its lease is renewed.
create table team_exports (
  team_id uuid primary key references teams on delete cascade,
  id uuid not null,
  leased_until timestamptz not null
);
select wall_by_team('team_exports');
