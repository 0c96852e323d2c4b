-- The list of a team's appointments of a day.
create index appointments_by_time on appointments (team_id, start_at, id) where start_at is not null;
