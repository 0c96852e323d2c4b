-- Since heart rates came for this workout, by this origin, its zones wait to be computed.
alter table summaries add column zones_asked text check (zones_asked in ('live', 'backfill', 'import', 'replay'));

create index summaries_zones_asked on summaries (user_id, start_at) where zones_asked is not null;

-- Marks the workouts of a user that have no zones of their own and in which one of these spans lies or begins or ends, and says
-- whether there are any. It looks at the workouts that can reach into a span, since one lasts a week at most: at a thousand of
-- them, the later ones first, and at most `most` are marked. One that is marked already is left as it is, unless only for a backfill,
-- of which a team may be told nothing.
create function ask_for_zones(of_team uuid, of_user uuid, firsts timestamptz[], lasts timestamptz[], by text, most integer)
returns boolean language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off as $$
declare
  spans tstzmultirange;
  around tstzmultirange;
  each record;
  found_any boolean := false;
begin
  select range_agg(tstzrange(first, last, '[]')), range_agg(tstzrange(first - interval '168 hours', last, '[]'))
    into spans, around from unnest(firsts, lasts) as span (first, last);
  for each in with looked_at as materialized (
    select workout.*
      from (select lower(part) as first, upper(part) as last from unnest(around) as part order by part desc) as near
     cross join lateral (
       select id, start_at, end_at, zones_asked, zones_from_samples or not "values" ? 'hr_zones' as waits from summaries
        where user_id = of_user and team_id = of_team and resource = 'workouts' and start_at between near.first and near.last
        order by start_at desc limit 1000
     ) as workout
     limit 1000
  )
    select id, zones_asked from looked_at
     where waits and case when end_at > start_at then tstzrange(start_at, end_at) && spans else false end
     limit most
  loop
    found_any := true;
    -- One by one along the primary key: a plan for all of them reads all that the user has where statistics are old.
    if each.zones_asked is null or (each.zones_asked = 'backfill' and by <> 'backfill') then
      update summaries set zones_asked = by where user_id = of_user and id = each.id;
    end if;
  end loop;
  return found_any;
end $$;
revoke execute on function ask_for_zones(uuid, uuid, timestamptz[], timestamptz[], text, integer) from public;
grant execute on function ask_for_zones(uuid, uuid, timestamptz[], timestamptz[], text, integer) to phial_app;

drop function workouts_to_zone(uuid, uuid, timestamptz[], timestamptz[], integer);
