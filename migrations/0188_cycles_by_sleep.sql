-- The cycles of a sleep: they are counted when one comes, and go with the sleep.
create index summaries_cycles_by_sleep on summaries (user_id, ("values" ->> 'sleep_id')) where resource = 'sleep_cycle';
