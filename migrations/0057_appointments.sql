-- Appointments of orders. They move to another user and are erased with their order. Columns of type bytea are sealed, but for
-- place_hash (src/privacy/columns.ts).
create table appointments (
  user_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  team_id uuid not null,
  type text not null check (type in ('phlebotomy', 'patient_service_center')),
  provider text not null check (provider in ('getlabs', 'phlebfinders', 'quest', 'sonora_quest')),
  status text not null check (status in ('pending', 'reserved', 'confirmed', 'in_progress', 'completed', 'cancelled')),
  -- Where it is: code, name, address and coordinates.
  place bytea not null,
  appointment_notes bytea,
  start_at timestamptz,
  end_at timestamptz,
  iana_timezone text not null,
  external_id text,
  last_event_id integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, order_id, id),
  foreign key (user_id, order_id) references orders (user_id, id) on update cascade on delete cascade,
  check ((start_at is null) = (end_at is null)),
  check (start_at is not null or status in ('pending', 'cancelled'))
);
-- An order has one appointment at a time.
create unique index appointments_under_way on appointments (user_id, order_id)
  where status in ('pending', 'reserved', 'confirmed', 'in_progress');

create table appointment_events (
  user_id uuid not null,
  order_id uuid not null,
  appointment_id uuid not null,
  id integer not null,
  team_id uuid not null,
  status text not null check (status in ('pending', 'reserved', 'scheduled', 'completed', 'cancelled', 'in_progress')),
  data bytea,
  created_at timestamptz not null default now(),
  primary key (user_id, order_id, appointment_id, id),
  foreign key (user_id, order_id, appointment_id) references appointments (user_id, order_id, id)
    on update cascade on delete cascade
);

-- Which slots of a team's scheduler are taken: the key lets one appointment have a slot, whoever asks at the same moment.
create table appointment_slots (
  team_id uuid not null,
  -- Who books, and the zip code or site.
  place_hash bytea not null,
  start_at timestamptz not null,
  user_id uuid not null,
  order_id uuid not null,
  appointment_id uuid not null,
  primary key (team_id, place_hash, start_at),
  foreign key (user_id, order_id, appointment_id) references appointments (user_id, order_id, id)
    on update cascade on delete cascade
);
create index appointment_slots_by_appointment on appointment_slots (user_id, order_id, appointment_id);

select wall_by_team('appointments', 'appointment_events', 'appointment_slots');
