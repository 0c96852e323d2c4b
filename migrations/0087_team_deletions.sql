-- How far the erasure of a deleted team has come. It outlives the team and belongs to its organisation: ids, counts and times.
create table team_deletions (
  -- The team's.
  id uuid primary key,
  org_id uuid not null references orgs,
  requested_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  -- Counted when it starts.
  users integer,
  erased_users integer not null default 0,
  rooms integer,
  erased_rooms integer not null default 0
);
create index team_deletions_by_org on team_deletions (org_id, id);
create index team_deletions_by_end on team_deletions (ended_at) where ended_at is not null;
select wall('team_deletions', 'org_id = {org} or id = {team}');

insert into team_deletions (id, org_id, requested_at)
select id, org_id, deleted_at from teams where deleted_at is not null;

-- From the deletion on nothing is sent to a team's receivers, whoever deletes it: workers listen to the channel.
create function stop_webhooks_of_team() returns trigger language plpgsql security definer
set search_path = pg_catalog, public, pg_temp as $$
declare
  receiver uuid;
begin
  for receiver in update webhooks set disabled = true where team_id = new.id and not disabled returning id loop
    perform pg_notify('phial_receivers', receiver::text);
  end loop;
  return null;
end $$;
revoke execute on function stop_webhooks_of_team() from public;
create trigger teams_deleted after update of deleted_at on teams for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function stop_webhooks_of_team();
