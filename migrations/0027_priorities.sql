-- Which provider counts first where several tell of one day, by kind of data; chosen by the team, used when reading.
create table source_priorities (
  team_id uuid not null references teams on delete cascade,
  data_type text not null,
  providers text[] not null,
  primary key (team_id, data_type)
);
select wall_by_team('source_priorities');
