-- How deliveries went, by endpoint and five minutes. A row of the endpoint 00000000-… is of all of a team's endpoints together, so
-- that the team's figures are read without theirs.
create table delivery_tallies (
  team_id uuid not null,
  webhook_id uuid not null,
  started_at timestamptz(3) not null,
  succeeded integer not null,
  -- Attempts by how long they took, as src/delivery/tallies/durations.ts parts the time; together they are all attempts.
  durations integer[] not null,
  primary key (team_id, webhook_id, started_at)
) with (fillfactor = 70);
create index delivery_tallies_by_age on delivery_tallies (started_at);
select wall_by_team('delivery_tallies');
