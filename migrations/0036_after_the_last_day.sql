-- Seven days after the last day of which a user's data is taken, by the clock where the user is, a connection is paused.
create function ingestion_over_at(ingestion_end date, time_zone text) returns timestamptz language sql stable as $$
  select (ingestion_end + 8)::timestamp at time zone coalesce(time_zone, 'UTC')
$$;

-- When that is, of a connection that is connected.
alter table connections add column pauses_at timestamptz;
create index connections_pausing on connections (pauses_at) where pauses_at is not null;

create function connections_know_their_end() returns trigger language plpgsql as $$
begin
  new.pauses_at := null;
  if new.status = 'connected' then
    -- Bounds that are being changed are waited for, and wait: until it is committed neither would see what the other has
    -- written. Who changes bounds comes from the user to its connections too, so nobody waits for who waits.
    select ingestion_over_at(ingestion_end, fallback_time_zone) into new.pauses_at
      from users where id = new.user_id for share;
  end if;
  return new;
end $$;
create trigger connections_know_their_end before insert or update of status on connections
  for each row execute function connections_know_their_end();

create function connections_follow_bounds() returns trigger language plpgsql as $$
begin
  update connections set pauses_at = ingestion_over_at(new.ingestion_end, new.fallback_time_zone)
   where user_id = new.id and team_id = new.team_id and status = 'connected';
  return null;
end $$;
create trigger connections_follow_bounds after update of ingestion_end, fallback_time_zone on users
  for each row when (old.ingestion_end is distinct from new.ingestion_end
                     or (old.fallback_time_zone is distinct from new.fallback_time_zone and new.ingestion_end is not null))
  execute function connections_follow_bounds();

update connections set pauses_at = ingestion_over_at(ingestion_end, fallback_time_zone)
  from users where users.id = connections.user_id and connections.status = 'connected' and ingestion_end is not null;
