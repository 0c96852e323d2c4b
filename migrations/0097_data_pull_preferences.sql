-- How far back a team's new connections to a provider begin, where the team has chosen it.
create table data_pull_preferences (
  team_id uuid not null references teams on delete cascade,
  provider text not null,
  org_id uuid not null references orgs,
  default_days smallint not null check (default_days between 0 and 365),
  -- By resource, as {"sleep": 30}: what is not in it has the default.
  resource_days jsonb not null default '{}',
  updated_at timestamptz not null default now(),
  primary key (team_id, provider)
);
create index data_pull_preferences_by_org on data_pull_preferences (org_id, team_id);
select wall('data_pull_preferences', 'team_id = {team} or org_id = {org}');
