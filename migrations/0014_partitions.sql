-- Daily partitions are made and dropped by these two functions alone: phial_app may call them but owns no table.
-- They do not wait long for a reader of the whole table, as a backup: writers would queue behind them. Days are made
-- ahead, and the next hour tries again.
create function uuid_v7_floor(day date) returns uuid language sql immutable strict
set search_path = pg_catalog, pg_temp as $$
  select (lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

create function ensure_partitions(from_day date, to_day date) returns void language plpgsql security definer
set search_path = pg_catalog, public, pg_temp set lock_timeout = '2s' as $$
declare
  parent text;
  day date;
  part text;
begin
  if to_day - from_day > 400 then
    raise exception 'at most 400 days of partitions are made at once';
  end if;
  foreach parent in array array['events', 'attempts'] loop
    for day in select generate_series(from_day, to_day, interval '1 day')::date loop
      part := parent || '_' || to_char(day, 'YYYYMMDD');
      if to_regclass('public.' || part) is null then
        begin
          -- A body of some kilobytes stays in its row: out of line it takes more rows and an index of their own.
          execute format('create table public.%I partition of public.%I for values from (%L) to (%L)
            with (toast_tuple_target = 8160)', part, parent, public.uuid_v7_floor(day), public.uuid_v7_floor(day + 1));
        exception
          when duplicate_table then null; -- another process was faster
          when lock_not_available then return;
          when check_violation then null; -- rows of that day lie in the default partition already and stay there
        end;
      end if;
    end loop;
  end loop;
end $$;

create function drop_partitions_before(first_kept date) returns integer language plpgsql security definer
set search_path = pg_catalog, public, pg_temp set lock_timeout = '2s' as $$
declare
  part text;
  dropped integer := 0;
begin
  -- Whoever calls it, and whatever day a wrong clock takes for today: yesterday and later stay.
  first_kept := least(first_kept, (now() at time zone 'UTC')::date - 1);
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
  delete from public.deliveries where event_id < public.uuid_v7_floor(first_kept);
  delete from public.retries where event_id < public.uuid_v7_floor(first_kept);
  delete from public.held_deliveries where event_id < public.uuid_v7_floor(first_kept);
  delete from public.events_default where id < public.uuid_v7_floor(first_kept);
  delete from public.attempts_default where event_id < public.uuid_v7_floor(first_kept);
  return dropped;
end $$;

revoke execute on function ensure_partitions(date, date), drop_partitions_before(date) from public;
grant execute on function ensure_partitions(date, date), drop_partitions_before(date) to phial_app;
select ensure_partitions(current_date - 1, current_date + 2);
select ensure_audit_partitions(current_date, (current_date + interval '2 months')::date);
