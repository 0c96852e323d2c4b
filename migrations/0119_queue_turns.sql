-- When an organisation, or a team of it, last had its turn in a queue. The row of the organisation outlives its teams: a team that
-- is deleted and made again is not new.
create table queue_turns (
  queue text not null,
  owner_id uuid not null,
  last_at timestamptz not null,
  primary key (queue, owner_id)
);
create index queue_turns_by_owner on queue_turns (owner_id);
create index queue_turns_by_age on queue_turns (last_at);
select wall('queue_turns', 'owner_id = {team}');
