-- Where the events of a team go besides its webhooks, and how far what streams them has come.
create table etl_pipelines (
  team_id uuid primary key references teams on delete cascade,
  org_id uuid not null references orgs,
  preferred text not null,
  enabled text[] not null,
  push_historical_data boolean not null,
  -- Null: every type but the operational ones.
  event_type_prefixes text[],
  -- Sealed: the settings of its sinks, with what opens them.
  sinks bytea not null,
  updated_at timestamptz not null default now(),
  -- Rises with each change: who streams begins anew.
  revision integer not null default 1,
  -- Whether events are streamed to a broker.
  streams boolean not null,
  -- In the change feed; all before it was taken by the broker.
  cursor text not null,
  due_at timestamptz not null default now(),
  -- Who streams it, until when.
  lease_id uuid,
  lease_until timestamptz,
  failures integer not null default 0,
  failing_since timestamptz,
  last_error text
);
create index etl_pipelines_by_org on etl_pipelines (org_id, team_id);
create index etl_pipelines_due on etl_pipelines (due_at) where streams;
select wall('etl_pipelines', 'team_id = {team} or org_id = {org}');
