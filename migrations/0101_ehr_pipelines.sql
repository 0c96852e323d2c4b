-- Where the results of a team are to go in an EHR: configuration, which nothing acts on yet.
create table ehr_pipelines (
  team_id uuid not null references teams on delete cascade,
  ehr_type text not null check (ehr_type in ('fhir', 'hint_health')),
  org_id uuid not null references orgs,
  base_url text not null,
  -- Sealed: how we show who we are.
  authentication bytea not null,
  -- Null: every mapper.
  allowed_mappers text[],
  updated_at timestamptz not null default now(),
  primary key (team_id, ehr_type)
);
create index ehr_pipelines_by_org on ehr_pipelines (org_id, team_id, ehr_type);
select wall('ehr_pipelines', 'team_id = {team} or org_id = {org}');
