-- Whole partitions only: a delete by time alone reads a partition from one end to the other. What has expired in the others
-- goes stream by stream, along the key (src/wearables/timeseries/erase.ts).
create or replace function drop_samples_before(first_kept date) returns integer language plpgsql security definer
set search_path = pg_catalog, public, pg_temp set lock_timeout = '2s' set timezone = 'UTC' as $$
declare
  part text;
  dropped integer := 0;
begin
  -- Whoever calls it, and whatever day a wrong clock takes for today: the last month stays.
  first_kept := least(first_kept, (now() - interval '1 month')::date);
  for part in
    -- Read first: the planner may look at other tables' bounds, which are no times, before it looks whose they are.
    with parts as materialized (
      select c.relname, pg_get_expr(c.relpartbound, c.oid) as bound
        from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'public.samples'::regclass
    )
    select relname from parts where (regexp_match(bound, 'TO \(''([^'']+)''\)'))[1]::timestamptz <= first_kept
  loop
    begin
      execute format('drop table public.%I', part);
      dropped := dropped + 1;
    exception when lock_not_available then return dropped;
    end;
  end loop;
  return dropped;
end $$;
