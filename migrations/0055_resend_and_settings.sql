-- What teams have asked to be told again: which orders, how far that has come, and of which time their events are told, null
-- all of them. One that has ended is dropped after a day.
create table event_resends (
  id uuid primary key,
  team_id uuid not null references teams,
  order_ids uuid[] not null,
  done integer not null default 0,
  start_at timestamptz,
  end_at timestamptz,
  moved_at timestamptz not null default now(),
  ended_at timestamptz
);
create index event_resends_waiting on event_resends (team_id, id) where ended_at is null;

-- How an order's patient may be written to; an order without a row has the defaults.
create table order_communication_settings (
  user_id uuid not null,
  order_id uuid not null,
  team_id uuid not null,
  sms_enabled boolean not null,
  primary key (user_id, order_id),
  foreign key (user_id, order_id) references orders (user_id, id) on update cascade on delete cascade
);

select wall_by_team('event_resends', 'order_communication_settings');
