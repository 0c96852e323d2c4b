-- People who are signed in to the dashboard, and the links with which they sign in. Only hashes of the tokens are stored.
-- A session has either a member, or a person of an EHR, or neither: then the operator of the deployment signed in.
create table sessions (
  id uuid primary key,
  org_id uuid not null references orgs,
  member_id uuid references org_members on delete cascade,
  ehr_member_id uuid references ehr_members on delete cascade,
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  check (num_nonnulls(member_id, ehr_member_id) <= 1)
);
create index sessions_by_person on sessions (org_id, member_id, ehr_member_id, id);
create index sessions_of_members on sessions (member_id) where member_id is not null;
create index sessions_of_ehr_members on sessions (ehr_member_id) where ehr_member_id is not null;
create index sessions_expired on sessions (expires_at);

create table sign_in_links (
  id uuid primary key,
  org_id uuid not null references orgs,
  member_id uuid references org_members on delete cascade,
  ehr_member_id uuid references ehr_members on delete cascade,
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  check (num_nonnulls(member_id, ehr_member_id) <= 1)
);
create index sign_in_links_by_person on sign_in_links (org_id, member_id, ehr_member_id, id);
create index sign_in_links_of_members on sign_in_links (member_id) where member_id is not null;
create index sign_in_links_of_ehr_members on sign_in_links (ehr_member_id) where ehr_member_id is not null;
create index sign_in_links_expired on sign_in_links (expires_at);

select create_row_policy('sessions', 'org_id = {org}');
select create_row_policy('sign_in_links', 'org_id = {org}');

-- Processes cache sessions with the rights of their people. A statement that deletes no session notifies nobody, because
-- each sign-in tries to delete the oldest sessions of its person.
create trigger sessions_changed after update or delete on sessions
  for each row execute function notify_access_changed();
create trigger sessions_made after insert on sessions
  for each statement execute function notify_access_made();
create trigger org_members_changed after update or delete on org_members
  for each row execute function notify_access_changed();
create trigger ehr_members_changed after update or delete on ehr_members
  for each row execute function notify_access_changed();

-- A member or the operator can make keys and invites in a session. `created_by` then stays null.
alter table management_keys add column created_by_member uuid;
alter table org_invites add column created_by_member uuid;
alter table org_invites alter column created_by drop not null;
