-- A connection that is made of invented data, in sandboxes only.
alter table connections add column demo boolean not null default false;

-- Historical pulls: what a new connection brings of the past, a row a resource. A pull goes from the newest window to the
-- oldest; everything from pulled_from to range_end is stored. Whoever works on it holds it until leased_until.
create table pulls (
  user_id uuid not null references users on delete cascade,
  provider text not null,
  resource text not null,
  team_id uuid not null,
  status text not null check (status in ('scheduled', 'in_progress', 'retrying', 'success', 'failure')),
  range_start timestamptz not null,
  range_end timestamptz not null,
  pulled_from timestamptz not null,
  days_with_data integer not null default 0,
  attempts integer not null default 0,
  error_details text,
  trace_id uuid not null,
  due_at timestamptz not null default now(),
  leased_until timestamptz,
  scheduled_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  primary key (user_id, provider, resource),
  check ((status in ('success', 'failure')) = (ended_at is not null)),
  check ((status in ('retrying', 'failure')) = (error_details is not null))
);
create index pulls_by_team on pulls (team_id, user_id);
create index pulls_due on pulls (team_id, due_at) where ended_at is null;

-- What is pulled again and again while a connection lasts: when next, and how it went last.
-- Whoever polls holds it until leased_until. While the connection brings nothing, due_at is infinity.
create table polls (
  user_id uuid not null,
  provider text not null,
  team_id uuid not null,
  due_at timestamptz not null,
  attempted_at timestamptz,
  succeeded boolean,
  failures integer not null default 0,
  leased_until timestamptz,
  primary key (user_id, provider),
  foreign key (user_id, provider) references connections (user_id, provider) on delete cascade
);
create index polls_due on polls (team_id, due_at);
create index polls_by_team on polls (team_id, user_id);

select wall_by_team('pulls', 'polls');

-- What is pulled comes due while its connection is connected, and never while it is in error, paused or gone.
create function pulls_follow_connections() returns trigger language plpgsql as $$
declare
  moment timestamptz := case when tg_op = 'UPDATE' and new.status = 'connected' then now() else 'infinity' end;
begin
  update polls set due_at = moment where user_id = old.user_id and provider = old.provider;
  update pulls set due_at = moment where user_id = old.user_id and provider = old.provider and ended_at is null;
  return null;
end $$;
create trigger pulls_follow_status after update of status on connections
  for each row when ((old.status = 'connected') <> (new.status = 'connected')) execute function pulls_follow_connections();
create trigger pulls_follow_end after delete on connections
  for each row execute function pulls_follow_connections();
