-- Who books appointments of this deployment (record 372), and what they have to be told.

-- One row for each scheduler that an operator has connected, by `phial scheduler connect`. It belongs to no team.
create table scheduler_connections (
  provider text primary key check (provider in ('getlabs', 'phlebfinders', 'quest', 'sonora_quest')),
  settings jsonb not null,
  updated_at timestamptz not null default now()
);
grant select on scheduler_connections to phial_app;

alter table appointments
  -- The sandbox's own scheduler, a connected one, or the operator by telephone.
  add column booked_by text not null default 'simulated' check (booked_by in ('simulated', 'scheduler', 'operator')),
  -- When what the scheduler told last had happened: older news changes nothing.
  add column told_at timestamptz;
create index appointments_by_id on appointments (id);

-- Requests to schedulers that have not been answered yet, written in the transaction of the appointment. They move to another user and
-- are erased with their order. `content` is sealed (src/privacy/columns.ts).
create table scheduler_calls (
  user_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  team_id uuid not null,
  appointment_id uuid not null,
  provider text not null,
  kind text not null check (kind in ('book', 'reschedule', 'cancel')),
  -- The slot, notes and reason that go with it.
  content bytea not null,
  -- The operator calls by telephone.
  by_hand boolean not null default false,
  attempts integer not null default 0,
  last_error text,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  primary key (user_id, order_id, id),
  foreign key (user_id, order_id, appointment_id) references appointments (user_id, order_id, id)
    on update cascade on delete cascade
);
create index scheduler_calls_by_order on scheduler_calls (order_id);
create index scheduler_calls_due on scheduler_calls (due_at) where not by_hand;

select wall_by_team('scheduler_calls');
