-- What is left out is found along indexes, whatever is known of the tables: a plan from when they were tiny, or by statistics that are
-- out of date, would read all users for each new order, and an index of all orders for each user who is leaving. Bounds and an order
-- say which index is meant.
create or replace function count_left_out(ids uuid[], times integer) returns void language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  select theirs.team_id, 'orders left out', array[last_low_level_status, method, interpretation], pg_backend_pid(), times * count(*)
    from unnest(ids) as leaving (id) cross join lateral (
      select orders.* from orders where orders.user_id >= leaving.id and orders.user_id <= leaving.id
       order by orders.user_id, orders.id offset 0) as theirs
   group by 1, 3
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  insert into totals (team_id, list, part, backend, rows)
  select team_id, 'users left out', '{}', pg_backend_pid(), times * count(*) from users where id = any (ids) group by 1
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
end $$;

create or replace function leave_out(most integer) returns integer language plpgsql as $$
declare
  ids uuid[];
begin
  select array_agg(id) into ids from (
    select id from users where deleted_at < now() - interval '1 minute' and not orders_left_out
     order by team_id, id limit most for update skip locked) as due;
  if ids is null then return 0; end if;
  perform from unnest(ids) as leaving (id) cross join lateral (
    select from orders where orders.user_id >= leaving.id and orders.user_id <= leaving.id
     order by orders.user_id, orders.id for update) as theirs;
  perform count_left_out(ids, 1);
  update users set orders_left_out = true where id = any (ids);
  return cardinality(ids);
end $$;

do $$
declare
  name text;
  setting text;
begin
  foreach name in array array['leave_out(integer)', 'count_left_out(uuid[], integer)', 'count_new_orders()', 'count_gone_orders()',
    'count_moved_order()'] loop
    foreach setting in array array['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_sort', 'jit'] loop
      execute format('alter function %s set %I = off', name, setting);
    end loop;
  end loop;
end $$;
