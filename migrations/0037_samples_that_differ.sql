-- Those of these samples that are stored otherwise; one that is not stored is none of them. Writing what is there already, as
-- most of what a poll brings, would lock each row and log that. Each sample is looked for along the key, whatever the planner
-- believes: by a plan that was made while a partition was empty, it would read all of that for each sample.
create function samples_that_differ(
  stream_ids bigint[], ats timestamptz[], new_values float8[], durations integer[], offsets integer[], extras jsonb[]
) returns table (
  stream_id bigint, at timestamptz, value float8, duration_ms integer, timezone_offset integer, extra jsonb
) language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
begin
  return query
    select sent.* from unnest(stream_ids, ats, new_values, durations, offsets, extras)
                         as sent (stream_id, at, value, duration_ms, timezone_offset, extra)
      join samples as stored on stored.stream_id = sent.stream_id and stored.at = sent.at
     where (stored.value, stored.duration_ms, stored.timezone_offset, stored.extra)
        is distinct from (sent.value, sent.duration_ms, sent.timezone_offset, sent.extra);
end $$;
revoke execute on function samples_that_differ(bigint[], timestamptz[], float8[], integer[], integer[], jsonb[]) from public;
grant execute on function samples_that_differ(bigint[], timestamptz[], float8[], integer[], integer[], jsonb[]) to phial_app;
