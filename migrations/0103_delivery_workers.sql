-- Workers that hold lanes and whose end can be noticed: each locks a name made of its id for as long as its listening
-- connection lasts. A row whose name is free is of a worker that died.
create table delivery_workers (
  -- The owner of its lanes.
  id uuid primary key,
  began_at timestamptz not null default now()
);
-- Of no team: seen only by what works for all of them.
select wall('delivery_workers', 'false');
