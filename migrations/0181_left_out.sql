-- Users who are scheduled for deletion, and their orders, are in the totals of lists, which leave them out. A job counts what is theirs a
-- minute later, when nothing of it changes any more: readers subtract that count, and look one by one only at those whom it has not
-- counted yet.
alter table users add column orders_left_out boolean not null default false;

create index users_to_leave_out on users (team_id, id) where deleted_at is not null and not orders_left_out;

/* Adds these users and their orders to what is left out; with -1 it takes them back. */
create function count_left_out(ids uuid[], times integer) returns void language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  select team_id, 'orders left out', array[last_low_level_status, method, interpretation], pg_backend_pid(), times * count(*)
    from orders where user_id = any (ids) group by 1, 3
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  insert into totals (team_id, list, part, backend, rows)
  select team_id, 'users left out', '{}', pg_backend_pid(), times * count(*) from users where id = any (ids) group by 1
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
end $$;

-- Each statement sees what was committed before it: those who insert an order hold a lock of its user until they commit, and those
-- who change one hold the order's. Whoever begins later finds a user who is scheduled for deletion, and changes nothing.
create function leave_out(most integer) returns integer language plpgsql as $$
declare
  ids uuid[];
begin
  select array_agg(id) into ids from (
    select id from users where deleted_at < now() - interval '1 minute' and not orders_left_out
     order by team_id, id limit most for update skip locked) as due;
  if ids is null then return 0; end if;
  perform from orders where user_id = any (ids) for update;
  perform count_left_out(ids, 1);
  update users set orders_left_out = true where id = any (ids);
  return cardinality(ids);
end $$;

create function take_back_left_out() returns trigger language plpgsql as $$
begin
  perform count_left_out(array[old.id], -1);
  new.orders_left_out := false;
  return new;
end $$;
create trigger take_back_left_out before update of deleted_at on users for each row
  when (old.orders_left_out and new.deleted_at is null) execute function take_back_left_out();

create or replace function count_new_orders() returns trigger language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  select team_id, 'orders', array[last_low_level_status, method, interpretation], pg_backend_pid(), count(*)
    from changed group by 1, 3
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  insert into totals (team_id, list, part, backend, rows)
  select changed.team_id, 'orders left out', array[last_low_level_status, method, interpretation], pg_backend_pid(), count(*)
    from changed join users on users.id = changed.user_id and users.orders_left_out group by 1, 3
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  return null;
end $$;

create or replace function count_gone_orders() returns trigger language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  select team_id, 'orders', array[last_low_level_status, method, interpretation], pg_backend_pid(), -count(*)
    from changed where exists (select from teams where teams.id = team_id and teams.deleted_at is null) group by 1, 3
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  insert into totals (team_id, list, part, backend, rows)
  select changed.team_id, 'orders left out', array[last_low_level_status, method, interpretation], pg_backend_pid(), -count(*)
    from changed join users on users.id = changed.user_id and users.orders_left_out
   where exists (select from teams where teams.id = changed.team_id and teams.deleted_at is null) group by 1, 3
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  return null;
end $$;

create or replace function count_moved_order() returns trigger language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  values (old.team_id, 'orders', array[old.last_low_level_status, old.method, old.interpretation], pg_backend_pid(), -1),
         (new.team_id, 'orders', array[new.last_low_level_status, new.method, new.interpretation], pg_backend_pid(), 1)
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  if exists (select from users where users.id = new.user_id and users.orders_left_out) then
    insert into totals (team_id, list, part, backend, rows)
    values (old.team_id, 'orders left out', array[old.last_low_level_status, old.method, old.interpretation], pg_backend_pid(), -1),
           (new.team_id, 'orders left out', array[new.last_low_level_status, new.method, new.interpretation], pg_backend_pid(), 1)
        on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  end if;
  return null;
end $$;

create or replace function count_gone_users() returns trigger language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  select team_id, 'users', '{}', pg_backend_pid(), -count(*)
    from changed where exists (select from teams where teams.id = team_id and teams.deleted_at is null) group by 1
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  insert into totals (team_id, list, part, backend, rows)
  select team_id, 'users left out', '{}', pg_backend_pid(), -count(*)
    from changed where orders_left_out and exists (select from teams where teams.id = team_id and teams.deleted_at is null) group by 1
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  return null;
end $$;
