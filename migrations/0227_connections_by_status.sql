-- Since when a connection has its status. A screen lists broken connections by it, the newest first.
alter table connections add column status_since timestamptz;
update connections
   set status_since = coalesce(errored_at, case status when 'paused' then updated_at else created_at end);
alter table connections alter column status_since set default now(), alter column status_since set not null;

create function connections_date_their_status() returns trigger language plpgsql as $$
begin
  new.status_since := now();
  return new;
end $$;
create trigger connections_date_their_status before update of status on connections
  for each row when (old.status <> new.status) execute function connections_date_their_status();

create index connections_by_status on connections (team_id, status, status_since, user_id, provider);
create index connections_of_provider_by_status
  on connections (team_id, provider, status, status_since, user_id);

-- Totals of connections by provider, status and error (migrations/0180_totals.sql, 0181_left_out.sql).
create function count_new_connections() returns trigger language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  select team_id, 'connections', array[provider, status, error_type], pg_backend_pid(), count(*)
    from changed group by 1, 3
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  return null;
end $$;

-- The totals of a deleted team go with its row, so nothing is counted while its connections are erased.
create function count_gone_connections() returns trigger language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  select team_id, 'connections', array[provider, status, error_type], pg_backend_pid(), -count(*)
    from changed where exists (select from teams where teams.id = team_id and teams.deleted_at is null) group by 1, 3
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  insert into totals (team_id, list, part, backend, rows)
  select changed.team_id, 'connections left out', array[provider, status, error_type], pg_backend_pid(), -count(*)
    from changed join users on users.id = changed.user_id and users.orders_left_out
   where exists (select from teams where teams.id = changed.team_id and teams.deleted_at is null) group by 1, 3
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  return null;
end $$;

create function count_moved_connection() returns trigger language plpgsql as $$
begin
  insert into totals (team_id, list, part, backend, rows)
  values (old.team_id, 'connections', array[old.provider, old.status, old.error_type], pg_backend_pid(), -1),
         (new.team_id, 'connections', array[new.provider, new.status, new.error_type], pg_backend_pid(), 1)
      on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  if exists (select from users where users.id = new.user_id and users.orders_left_out) then
    insert into totals (team_id, list, part, backend, rows)
    values (old.team_id, 'connections left out', array[old.provider, old.status, old.error_type], pg_backend_pid(), -1),
           (new.team_id, 'connections left out', array[new.provider, new.status, new.error_type], pg_backend_pid(), 1)
        on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows;
  end if;
  return null;
end $$;

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
  select theirs.team_id, 'connections left out', array[provider, status, error_type], pg_backend_pid(), times * count(*)
    from unnest(ids) as leaving (id) cross join lateral (
      select connections.* from connections
       where connections.user_id >= leaving.id and connections.user_id <= leaving.id
       order by connections.user_id, connections.provider offset 0) as theirs
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
  perform from unnest(ids) as leaving (id) cross join lateral (
    select from connections where connections.user_id >= leaving.id and connections.user_id <= leaving.id
     order by connections.user_id, connections.provider for update) as theirs;
  perform count_left_out(ids, 1);
  update users set orders_left_out = true where id = any (ids);
  return cardinality(ids);
end $$;

do $$
declare
  name text;
  setting text;
begin
  foreach name in array array['leave_out(integer)', 'count_left_out(uuid[], integer)', 'count_new_connections()',
    'count_gone_connections()', 'count_moved_connection()'] loop
    foreach setting in array array['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_sort', 'jit'] loop
      execute format('alter function %s set %I = off', name, setting);
    end loop;
  end loop;
end $$;

-- Nobody writes between the count of what is there and the first trigger.
lock table connections, users in share row exclusive mode;
insert into totals (team_id, list, part, backend, rows)
select team_id, 'connections', array[provider, status, error_type], 0, count(*) from connections group by 1, 3;
insert into totals (team_id, list, part, backend, rows)
select connections.team_id, 'connections left out', array[provider, status, error_type], 0, count(*)
  from connections join users on users.id = connections.user_id and users.orders_left_out group by 1, 3;

create trigger count_new after insert on connections
  referencing new table as changed for each statement execute function count_new_connections();
create trigger count_gone after delete on connections
  referencing old table as changed for each statement execute function count_gone_connections();
create trigger count_moved after update of provider, status, error_type, team_id on connections for each row
  when ((old.provider, old.status, old.error_type, old.team_id)
    is distinct from (new.provider, new.status, new.error_type, new.team_id))
  execute function count_moved_connection();
