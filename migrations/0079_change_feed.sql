-- The change feed reads events in the order in which their transactions began to write: a position is the id of the
-- transaction, below an epoch. What a reader was given is a snapshot, so nothing waits for a transaction that takes long.

-- Ids of transactions are of one server: another one, to which a backup or a copy was brought, counts from elsewhere, and a
-- standby that takes over counts again what it had not heard of. Each begins an epoch, whose positions come after all others.
create table event_epochs (
  epoch integer primary key,
  cluster text not null
);
grant select on event_epochs to phial_app;

-- A constant that note_cluster writes anew: it is folded into plans and costs a statement nothing.
create function event_epoch() returns bigint language sql immutable parallel safe return 0::bigint;
create function event_position() returns bigint language sql volatile
return public.event_epoch() + pg_catalog.pg_current_xact_id()::text::bigint;

-- Called as owner by each start, after migrations, and after a restore.
create function note_cluster() returns void language plpgsql
set search_path = pg_catalog, public, pg_temp as $$
declare
  here text;
  known public.event_epochs;
begin
  begin
    here := (select system_identifier from pg_control_system())::text;
  exception when insufficient_privilege then
    here := 'unknown';
  end;
  here := here || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
  perform pg_advisory_xact_lock(hashtextextended('phial event epochs', 0));
  select * into known from public.event_epochs order by epoch desc limit 1;
  if known.cluster is distinct from here then
    insert into public.event_epochs (epoch, cluster) values (coalesce(known.epoch, 0) + 1, here) returning * into known;
  end if;
  if known.epoch > 500 then
    raise exception 'too many epochs of events: positions would exceed what a number of JSON holds';
  end if;
  -- 2^44 transactions an epoch, and 2^53 in all: 10,000 a second would last for 55 years.
  if public.event_epoch() <> known.epoch * 17592186044416 then
    execute format('create or replace function public.event_epoch() returns bigint language sql immutable parallel safe return %s::bigint',
      known.epoch * 17592186044416);
  end if;
end $$;
revoke execute on function note_cluster() from public;
grant execute on function event_epoch(), event_position() to phial_app;

-- What is there already comes first, in the order of its ids.
alter table events add column position bigint not null default 0;
alter table events alter column position set default event_position();
create index events_in_order on events (team_id, position, id);

-- Events that a reader passed by because their user was scheduled for deletion: told from `position` on where that was
-- taken back.
create table held_events (
  user_id uuid not null,
  event_id uuid not null,
  team_id uuid not null,
  position bigint,
  primary key (user_id, event_id)
);
create index held_events_told on held_events (team_id, position, event_id) where position is not null;

-- Teams that wait for events by long polls, or did lately: only they are notified.
create table event_readers (
  team_id uuid primary key,
  until timestamptz not null
);

select wall_by_team('held_events', 'event_readers');
