-- People of an organisation, and who is invited to become one of them. Names and addresses are sealed; `email_hash` is what they
-- are unique by, `words` are hashes of the words that they are found by.
create table org_members (
  id uuid primary key,
  org_id uuid not null references orgs,
  person bytea not null,
  email_hash bytea not null,
  words bytea[] not null,
  role text not null check (role in ('org_admin', 'team_admin', 'no_role')),
  -- Which teams a team_admin may manage.
  team_ids uuid[],
  created_at timestamptz not null default now(),
  unique (org_id, email_hash),
  check ((role = 'team_admin') = (team_ids is not null))
);
create index org_members_by_org on org_members (org_id, id);

create table org_invites (
  id uuid primary key,
  org_id uuid not null references orgs,
  email bytea not null,
  email_hash bytea not null,
  words bytea[] not null,
  role text not null check (role in ('org_admin', 'team_admin', 'no_role')),
  team_ids uuid[],
  -- The management key that made it.
  created_by uuid not null,
  invited_at timestamptz not null default now(),
  resent_at timestamptz,
  unique (org_id, email_hash),
  check ((role = 'team_admin') = (team_ids is not null))
);
create index org_invites_by_org on org_invites (org_id, id);

select wall('org_members', 'org_id = {org}');
select wall('org_invites', 'org_id = {org}');
