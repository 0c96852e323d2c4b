-- Parted by the day of their event, with which they are dropped: no attempt outlives what it tried to deliver.
create table attempts (
  team_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  attempt smallint not null,
  outcome text not null check (outcome in ('succeeded', 'failed', 'exhausted')),
  http_status smallint,
  error bytea,
  response_body bytea,
  duration_ms integer not null,
  next_attempt_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (team_id, event_id, id)
) partition by range (event_id);
create index attempts_by_webhook on attempts (webhook_id, id);
create table attempts_default partition of attempts default;

-- One row per endpoint: which worker sends to it. What is queued for an endpoint is only ever inserted, read and
-- deleted; who may do so is decided here, by one row, so no queued row carries a lease.
create table lanes (
  webhook_id uuid primary key references webhooks on delete cascade,
  team_id uuid not null,
  -- The worker that sends; null where nobody does.
  owner uuid,
  -- Raised with each lease: an owner that was taken over no longer writes what became of its deliveries.
  fence integer not null default 0,
  -- When a worker has to take the lane unasked: the end of the lease, or the first retry. Null while nothing waits.
  wake_at timestamptz,
  -- Time of the first failed attempt since the last that succeeded.
  failing_since timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index lanes_to_wake on lanes (wake_at) where wake_at is not null;
create index lanes_leased on lanes (webhook_id) where owner is not null;

-- First attempts. A lane is read along the key: no due time, no second index. Rows of endpoints that are gone are
-- swept by the workers, so that no event that is published pays for a foreign key.
create table deliveries (
  webhook_id uuid not null,
  event_id uuid not null,
  team_id uuid not null,
  primary key (webhook_id, event_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- What failed and is made again. A time of milliseconds goes through the worker unchanged.
create table retries (
  webhook_id uuid not null,
  event_id uuid not null,
  team_id uuid not null,
  -- Attempts made so far; 0 where the first was held back.
  attempt smallint not null,
  due_at timestamptz(3) not null,
  primary key (webhook_id, event_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index retries_due on retries (webhook_id, due_at);

-- Deliveries that tell of a user who is scheduled for deletion: sent after an undo, erased with the user.
create table held_deliveries (
  user_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  team_id uuid not null,
  attempt smallint not null,
  primary key (user_id, webhook_id, event_id)
);
create index held_deliveries_by_webhook on held_deliveries (webhook_id);
