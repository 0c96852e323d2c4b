-- Physicians whom a team orders by. Names and NPIs are those of the public registry, and lie plain.
create table physicians (
  team_id uuid not null references teams on delete cascade,
  npi text not null,
  first_name text not null,
  last_name text not null,
  primary key (team_id, npi)
);
select wall_by_team('physicians');
