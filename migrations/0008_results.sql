create table lab_results (
  user_id uuid not null,
  order_id uuid not null,
  version integer not null,
  team_id uuid not null,
  status text not null check (status in ('partial', 'final')),
  interpretation text not null check (interpretation in ('normal', 'abnormal', 'critical', 'unknown')),
  metadata bytea not null,
  results bytea not null,
  missing_results bytea,
  sample_information bytea,
  created_at timestamptz not null default now(),
  primary key (user_id, order_id, version),
  foreign key (user_id, order_id) references orders (user_id, id) on update cascade on delete cascade
);
