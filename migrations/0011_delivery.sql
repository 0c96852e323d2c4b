create table attempts (
  team_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  attempt smallint not null,
  outcome text not null check (outcome in ('succeeded', 'failed', 'exhausted')),
  http_status smallint,
  error text,
  response_body text not null default '',
  duration_ms integer not null,
  next_attempt_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (team_id, id)
) partition by range (id);
create index attempts_by_event on attempts (team_id, event_id);
create index attempts_by_webhook on attempts (webhook_id, id);
create table attempts_default partition of attempts default;

-- The queue: narrow rows, deleted when done. Led by the endpoint, so that one endpoint's backlog is not in another's way.
create table deliveries (
  webhook_id uuid not null references webhooks on delete cascade,
  event_id uuid not null,
  team_id uuid not null,
  attempt smallint not null default 0,
  fence integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  primary key (webhook_id, event_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- First attempts and retries are claimed apart, so that a backlog of retries is never read through for what is new.
create index deliveries_due on deliveries (webhook_id, (attempt = 0), next_attempt_at);
create index deliveries_by_event on deliveries (team_id, event_id);
