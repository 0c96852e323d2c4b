-- An EHR that works with an organisation: how it opens pages of ours, the people it keeps with us, and what it was let open.
create table ehr_configurations (
  org_id uuid primary key references orgs,
  slug text not null unique,
  modalities text[] not null,
  origin_configs jsonb not null,
  updated_at timestamptz not null default now()
);

create table ehr_members (
  id uuid primary key,
  org_id uuid not null references orgs,
  -- Sealed: the EHR's own id of the person, name, address and picture.
  person bytea not null,
  integration_member_hash bytea not null,
  -- The teams that the person may open; null: none yet.
  team_ids uuid[],
  created_at timestamptz not null default now(),
  unique (org_id, integration_member_hash)
);
create index ehr_members_by_org on ehr_members (org_id, id);

-- What a link that was made for a member opens, for minutes.
create table ehr_sessions (
  id uuid primary key,
  org_id uuid not null references orgs,
  member_id uuid not null references ehr_members on delete cascade,
  team_id uuid,
  feature text not null,
  modality text not null check (modality in ('feature_embed', 'link_out')),
  expires_at timestamptz not null
);
create index ehr_sessions_by_org on ehr_sessions (org_id, expires_at);
create index ehr_sessions_by_member on ehr_sessions (member_id);
create index ehr_sessions_by_team on ehr_sessions (team_id);

select wall('ehr_configurations', 'org_id = {org}');
select wall('ehr_members', 'org_id = {org}');
select wall('ehr_sessions', 'org_id = {org}');
