-- Writes those of these samples that are not there, and says which: of a stream how many where all of them were written, with `at`
-- null, else each by itself. `ids` are the streams, each with the first and last of its times and how many there are. As their
-- user's only writer: where a stream has nothing between its first and last time now, nothing comes meanwhile, and the samples are
-- inserted without a look at each, which takes 40 % less time and a quarter less log than `on conflict`.
-- Like samples_that_differ it looks along the key, whatever the planner believes; it is planned once a connection.
create function create_samples(
  ids bigint[], firsts timestamptz[], lasts timestamptz[], counts integer[],
  stream_ids bigint[], ats timestamptz[], new_values float8[], durations integer[], offsets integer[], extras jsonb[],
  of_team integer
) returns table (stream_id bigint, at timestamptz, created integer) language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  if exists (
    select from unnest(ids, firsts, lasts) as span (id, first, last)
     where exists (select from samples as stored where stored.stream_id = id and stored.at between first and last)
  ) then
    return query
      insert into samples (stream_id, at, value, team_number, duration_ms, timezone_offset, extra)
      select sent.stream_id, sent.at, value, of_team, duration_ms, timezone_offset, extra
        from unnest(stream_ids, ats, new_values, durations, offsets, extras)
               as sent (stream_id, at, value, duration_ms, timezone_offset, extra)
      on conflict (stream_id, at) do nothing
      returning samples.stream_id, samples.at, 1;
  else
    insert into samples (stream_id, at, value, team_number, duration_ms, timezone_offset, extra)
    select sent.stream_id, sent.at, value, of_team, duration_ms, timezone_offset, extra
      from unnest(stream_ids, ats, new_values, durations, offsets, extras)
             as sent (stream_id, at, value, duration_ms, timezone_offset, extra);
    return query select id, null::timestamptz, many from unnest(ids, counts) as span (id, many);
  end if;
end $$;
revoke execute on function create_samples(
  bigint[], timestamptz[], timestamptz[], integer[], bigint[], timestamptz[], float8[], integer[], integer[], jsonb[], integer
) from public;
grant execute on function create_samples(
  bigint[], timestamptz[], timestamptz[], integer[], bigint[], timestamptz[], float8[], integer[], integer[], jsonb[], integer
) to phial_app;
