-- What a team used in a month: orders that were placed, and deliveries that succeeded (migrations/0180_totals.sql). The
-- part is the month in UTC. An erasure does not change these totals: they say what was used.
create function count_orders_of_month() returns trigger language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  select team_id, 'orders of month', array[to_char(created_at at time zone 'UTC', 'YYYY-MM')], pg_backend_pid(), count(*)
    from changed group by 1, 3
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  return null;
end $$;

create function count_new_deliveries_of_month() returns trigger language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  select team_id, 'deliveries of month', array[to_char(started_at at time zone 'UTC', 'YYYY-MM')], pg_backend_pid(),
         sum(succeeded)
    from changed
   where webhook_id = '00000000-0000-0000-0000-000000000000' and succeeded > 0
     and exists (select from teams where teams.id = team_id and teams.deleted_at is null)
   group by 1, 3
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  return null;
end $$;

create function count_more_deliveries_of_month() returns trigger language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  select changed.team_id, 'deliveries of month', array[to_char(changed.started_at at time zone 'UTC', 'YYYY-MM')],
         pg_backend_pid(), sum(changed.succeeded - before.succeeded)
    from changed join before using (team_id, webhook_id, started_at)
   where changed.webhook_id = '00000000-0000-0000-0000-000000000000' and changed.succeeded > before.succeeded
     and exists (select from teams where teams.id = changed.team_id and teams.deleted_at is null)
   group by 1, 3
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  return null;
end $$;

lock table orders, delivery_tallies in share row exclusive mode;
insert into totals (team_id, list, part, backend, rows)
select team_id, 'orders of month', array[to_char(created_at at time zone 'UTC', 'YYYY-MM')], 0, count(*)
  from orders group by 1, 3;
insert into totals (team_id, list, part, backend, rows)
select team_id, 'deliveries of month', array[to_char(started_at at time zone 'UTC', 'YYYY-MM')], 0, sum(succeeded)
  from delivery_tallies
 where webhook_id = '00000000-0000-0000-0000-000000000000'
   and exists (select from teams where teams.id = team_id and teams.deleted_at is null)
 group by 1, 3;

create trigger count_of_month after insert on orders
  referencing new table as changed for each statement execute function count_orders_of_month();
create trigger count_of_month_new after insert on delivery_tallies
  referencing new table as changed for each statement execute function count_new_deliveries_of_month();
create trigger count_of_month_more after update on delivery_tallies
  referencing old table as before new table as changed for each statement
  execute function count_more_deliveries_of_month();
