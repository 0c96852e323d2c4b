-- How much of an organisation's past is being read: what a team asks for stands behind what organisations with less of it ask for.
create function pulls_under_way_of_org(team uuid, most integer) returns integer language sql stable security definer
set search_path = pg_catalog, public, pg_temp as $$
  select count(*)::integer
    from (
      select from teams
       cross join lateral (select from pulls where pulls.team_id = teams.id and ended_at is null limit most) as of_team
       where teams.org_id = (select org_id from teams as asked where asked.id = team)
       limit most
    ) as counted
$$;
revoke execute on function pulls_under_way_of_org(uuid, integer) from public;
grant execute on function pulls_under_way_of_org(uuid, integer) to phial_app;
