-- What a team asks its users for at a provider's page: what they must grant, and what they may leave out.
create table scope_requirements (
  team_id uuid not null references teams on delete cascade,
  provider text not null,
  user_must_grant text[] not null,
  user_may_grant text[] not null,
  primary key (team_id, provider)
);
select wall_by_team('scope_requirements');
