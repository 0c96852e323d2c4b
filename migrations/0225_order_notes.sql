-- Notes of a team on its orders. No laboratory gets them.
create table order_notes (
  user_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  team_id uuid not null,
  -- The text and its author, sealed.
  content bytea not null,
  created_at timestamptz not null default now(),
  primary key (user_id, order_id, id),
  foreign key (user_id, order_id) references orders (user_id, id) on update cascade on delete cascade
);
select create_team_policies('order_notes');
