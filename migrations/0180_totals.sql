-- How many rows of a list a team has, by what the list is filtered by most. Triggers count in the transaction of each
-- change, so a total is exact in every snapshot. Each backend counts in rows of its own: no two writers wait for one
-- another. A total is the sum over all backends. Rows of backends that have ended are folded into backend 0 by retention.
-- Who is scheduled for deletion counts here; readers subtract.
create table totals (
  team_id uuid not null references teams on delete cascade,
  list text not null,
  part text[] not null,
  backend integer not null,
  rows bigint not null,
  primary key (team_id, list, part, backend)
) with (fillfactor = 50);
select wall_by_team('totals');

-- Orders count by their status, their method and their interpretation.
create function count_new_orders() returns trigger language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  select team_id, 'orders', array[last_low_level_status, method, interpretation], pg_backend_pid(), count(*)
    from changed group by 1, 3
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  return null;
end $$;

-- A deleted team's totals go with its row, so nothing is counted while its orders are erased.
create function count_gone_orders() returns trigger language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  select team_id, 'orders', array[last_low_level_status, method, interpretation], pg_backend_pid(), -count(*)
    from changed where exists (select from teams where teams.id = team_id and teams.deleted_at is null) group by 1, 3
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  return null;
end $$;

create function count_moved_order() returns trigger language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  values (old.team_id, 'orders', array[old.last_low_level_status, old.method, old.interpretation], pg_backend_pid(), -1),
         (new.team_id, 'orders', array[new.last_low_level_status, new.method, new.interpretation], pg_backend_pid(), 1)
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  return null;
end $$;

create function count_new_users() returns trigger language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  select team_id, 'users', '{}', pg_backend_pid(), count(*) from changed group by 1
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  return null;
end $$;

create function count_gone_users() returns trigger language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  select team_id, 'users', '{}', pg_backend_pid(), -count(*)
    from changed where exists (select from teams where teams.id = team_id and teams.deleted_at is null) group by 1
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  return null;
end $$;

-- Nobody writes between the count of what is there and the first trigger.
lock table orders, users in share row exclusive mode;
insert into totals (team_id, list, part, backend, rows)
select team_id, 'orders', array[last_low_level_status, method, interpretation], 0, count(*) from orders group by 1, 3;
insert into totals (team_id, list, part, backend, rows)
select team_id, 'users', '{}', 0, count(*) from users group by 1;

create trigger count_new after insert on orders
  referencing new table as changed for each statement execute function count_new_orders();
create trigger count_gone after delete on orders
  referencing old table as changed for each statement execute function count_gone_orders();
create trigger count_moved after update of last_low_level_status, method, interpretation, team_id on orders for each row
  when ((old.last_low_level_status, old.method, old.interpretation, old.team_id)
    is distinct from (new.last_low_level_status, new.method, new.interpretation, new.team_id))
  execute function count_moved_order();
create trigger count_new after insert on users
  referencing new table as changed for each statement execute function count_new_users();
create trigger count_gone after delete on users
  referencing old table as changed for each statement execute function count_gone_users();

-- Who is left out of lists until the erasure.
create index users_scheduled_for_deletion on users (team_id, id) where deleted_at is not null;
