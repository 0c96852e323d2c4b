-- Dropping partitions keeps everybody from attempts and events until the commit, and servers before version 18 go through the whole
-- queue for what is too old: that is deleted by the service before, some rows at a time.
create or replace function drop_partitions_before(first_kept date) returns integer language plpgsql security definer
set search_path = pg_catalog, public, pg_temp set lock_timeout = '2s' as $$
declare
  part text;
  dropped integer := 0;
begin
  -- Whoever calls it, and whatever day a wrong clock takes for today: yesterday and later stay.
  first_kept := least(first_kept, (now() at time zone 'UTC')::date - 1);
  delete from public.events_default where id < public.uuid_v7_floor(first_kept);
  delete from public.attempts_default where event_id < public.uuid_v7_floor(first_kept);
  for part in
    select c.relname from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
     where i.inhparent in ('public.events'::regclass, 'public.attempts'::regclass)
       and c.relname ~ '_\d{8}$' and to_date(right(c.relname, 8), 'YYYYMMDD') < first_kept
  loop
    begin
      execute format('drop table public.%I', part);
      dropped := dropped + 1;
    exception when lock_not_available then return dropped;
    end;
  end loop;
  return dropped;
end $$;
