-- Each connection of the service notes its server before anything else passes over it. A standby that was promoted
-- counts ids of transactions from where it had heard of the last one, so an epoch of positions begins before the first
-- event is written there. Until now only a start noted it: what was told meanwhile lay below the cursors that readers
-- had, and was skipped for ever.
create or replace function note_cluster() returns void language plpgsql security definer
set search_path = pg_catalog, public, pg_temp as $$
declare
  -- 2^44 transactions an epoch, and 2^53 in all: 10,000 a second would last for 55 years.
  transactions_an_epoch constant bigint := 17592186044416;
  here text;
  known public.event_epochs;
begin
  if pg_is_in_recovery() then
    raise exception 'this server is a standby' using errcode = 'cannot_connect_now';
  end if;
  begin
    here := (select system_identifier from pg_control_system())::text;
  exception when insufficient_privilege then
    here := 'unknown';
  end;
  here := here || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
  select * into known from public.event_epochs order by epoch desc limit 1;
  -- Almost always; and no lock for that.
  if known.cluster = here and public.event_epoch() = known.epoch * transactions_an_epoch then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('phial event epochs', 0));
  select * into known from public.event_epochs order by epoch desc limit 1;
  if known.cluster is distinct from here then
    insert into public.event_epochs (epoch, cluster) values (coalesce(known.epoch, 0) + 1, here) returning * into known;
  end if;
  if known.epoch > 500 then
    raise exception 'too many epochs of events: positions would exceed what a number of JSON holds';
  end if;
  if public.event_epoch() <> known.epoch * transactions_an_epoch then
    execute format(
      'create or replace function public.event_epoch() returns bigint
       language sql immutable parallel safe return %s::bigint',
      known.epoch * transactions_an_epoch);
  end if;
end $$;
-- It takes nothing and writes only where the server is another one than it was.
revoke execute on function note_cluster() from public;
grant execute on function note_cluster() to phial_app;
