-- A wait of the whole application is looked at again after a while by a question of another team than the one whose answer
-- told of it, which may end it; of any team once that one is gone. When it was told is the fence of that question. What stood
-- there is short, and is told again.
delete from provider_waits;
alter table provider_waits
  add column told_by uuid references teams on delete set null,
  add column told_at timestamptz not null,
  add column probe_at timestamptz not null;

-- When a provider takes requests of a team again: of an answer that does not show that it was the application's share.
create table team_provider_waits (
  team_id uuid not null references teams,
  provider text not null,
  polls_until timestamptz not null,
  past_until timestamptz not null,
  primary key (team_id, provider)
);

select wall_by_team('team_provider_waits');
