-- Ids are UUID v7, whose first 48 bits are the millisecond: a range of ids is a range of time. Bodies are sealed.
create table events (
  team_id uuid not null,
  id uuid not null,
  user_id uuid,
  event_type text not null,
  body bytea not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id)
) partition by range (id);
create index events_by_user on events (user_id) where user_id is not null;
-- What is sealed cannot be compressed.
alter table events alter column body set storage external;
create table events_default partition of events default;
