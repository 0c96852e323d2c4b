-- What teams have asked to be sent to an endpoint again, or for the first time. The events are not queued: the owner of the
-- endpoint's lane reads them along their ids, and writes how far it came.
create table webhook_replays (
  webhook_id uuid not null references webhooks on delete cascade,
  id uuid not null,
  team_id uuid not null,
  kind text not null check (kind in ('recover', 'replay')),
  since timestamptz(3) not null,
  until timestamptz(3) not null,
  event_types text[],
  per_second integer not null check (per_second > 0),
  status text not null default 'queued' check (status in ('queued', 'running', 'succeeded', 'cancelled', 'failed')),
  -- Every event up to this one is done with, and the counts are of these.
  done_to uuid not null,
  events_found integer not null default 0,
  events_delivered integer not null default 0,
  events_failed integer not null default 0,
  events_skipped integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (webhook_id, id),
  check ((ended_at is null) = (status in ('queued', 'running')))
) with (fillfactor = 70);
create index webhook_replays_open on webhook_replays (webhook_id, id) where ended_at is null;
create index webhook_replays_open_of_team on webhook_replays (team_id) where ended_at is null;
create index webhook_replays_ended on webhook_replays (ended_at) where ended_at is not null;
select wall_by_team('webhook_replays');

-- What failed at an endpoint, in the order of the events: what succeeds at once has no entry.
create index attempts_not_succeeded on attempts (webhook_id, event_id) where outcome <> 'succeeded';
