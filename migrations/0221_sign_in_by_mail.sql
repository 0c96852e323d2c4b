-- Members ask for a one-time link by their mail address. The hash of an address is the same for all organisations,
-- because whoever signs in names no organisation. Addresses are sealed, so no statement can compute the hashes of the
-- members that exist. The service fills them in before it looks for an address.
alter table org_members add column address_hash bytea;
create index org_members_by_address on org_members (address_hash, id) where address_hash is not null;
create index org_members_without_address_hash on org_members (id) where address_hash is null;

-- Requests for links. A request says nothing about whether a member has the address: a job looks for that later.
-- Rows belong to no organisation, and are deleted after a day.
create table sign_in_requests (
  id uuid primary key,
  address_hash bytea not null,
  network_hash bytea not null,
  created_at timestamptz not null default now(),
  handled_at timestamptz
);
create index sign_in_requests_by_address on sign_in_requests (address_hash, created_at);
create index sign_in_requests_by_network on sign_in_requests (network_hash, created_at);
create index sign_in_requests_waiting on sign_in_requests (id) where handled_at is null;
create index sign_in_requests_expired on sign_in_requests (created_at);
select create_row_policy('sign_in_requests', 'false');
