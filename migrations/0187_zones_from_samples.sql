-- Whether the zones of a workout were computed from samples of heart rates: those are computed again when more of them come.
alter table summaries add column zones_from_samples boolean not null default false;

-- Workouts by their time, which writes of heart rates look for.
create index summaries_workouts_by_start on summaries (user_id, start_at) where resource = 'workouts';

-- The workouts of a user that have no zones of their own, and in which one of these spans lies or begins or ends: of each span
-- those of the hundred that began last, within the week that a workout lasts at most.
create function workouts_to_zone(of_team uuid, of_user uuid, firsts timestamptz[], lasts timestamptz[], most integer)
returns table (id uuid) language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
begin
  return query
    select distinct workout.id from unnest(firsts, lasts) as span (first, last) cross join lateral (
      select id, end_at, zones_from_samples or not "values" ? 'hr_zones' as waits from summaries
       where user_id = of_user and team_id = of_team and resource = 'workouts'
         and start_at between first - interval '168 hours' and last
       order by start_at desc limit 100
    ) as workout
     where waits and workout.end_at > first
     limit most;
end $$;
revoke execute on function workouts_to_zone(uuid, uuid, timestamptz[], timestamptz[], integer) from public;
grant execute on function workouts_to_zone(uuid, uuid, timestamptz[], timestamptz[], integer) to phial_app;
