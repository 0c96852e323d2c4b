-- How a laboratory is reached and what it is told. It belongs to nobody: the operator connects laboratories for the whole
-- deployment (`phial lab connect`), as the owner of the catalogue. Keys and certificates are files, named by their paths.
create table laboratory_connections (
  lab_id integer primary key references labs,
  settings jsonb not null,
  updated_at timestamptz not null default now()
);

-- A laboratory's own codes of what it reports.
create table laboratory_codes (
  lab_id integer not null references labs,
  code text not null,
  analyte_id integer not null references analytes,
  primary key (lab_id, code)
);
grant select on laboratory_connections, laboratory_codes to phial_app;

-- Who sends to a laboratory: one process at a time, as long as its lease holds.
create table laboratory_senders (
  lab_id integer primary key references labs,
  lease uuid,
  leased_until timestamptz not null default '-infinity'
);
grant select, insert, update, delete on laboratory_senders to phial_app;

-- The numbers under which an order is known to its laboratory: the only ones by which results find it.
create sequence order_number_counter;
grant usage on sequence order_number_counter to phial_app;
create table order_numbers (
  user_id uuid not null,
  order_id uuid not null,
  team_id uuid not null,
  lab_id integer not null references labs,
  -- Ours, as the placer: unique in the deployment.
  number text not null unique,
  -- The account with the laboratory under which it was ordered.
  account_number text not null,
  -- The laboratory's own, once it has told one.
  filler_number text,
  created_at timestamptz not null default now(),
  primary key (user_id, order_id),
  foreign key (user_id, order_id) references orders (user_id, id) on update cascade on delete cascade
);
create index order_numbers_by_team on order_numbers (team_id, order_id);
create index order_numbers_by_filler on order_numbers (lab_id, filler_number) where filler_number is not null;

-- The message of a row of the outbox, sealed, with its control id: written before the first byte of it is sent, so that
-- whoever sends it again sends the same.
create table hl7_outgoing (
  user_id uuid not null,
  id uuid not null,
  team_id uuid not null,
  control_id text not null,
  message bytea not null,
  created_at timestamptz not null default now(),
  primary key (user_id, id),
  foreign key (user_id, id) references laboratory_outbox (user_id, id) on update cascade on delete cascade
);
create index hl7_outgoing_by_team on hl7_outgoing (team_id, id);

-- What laboratories sent, stored before it is acknowledged. A message belongs to a team once its order is known; before
-- that to nobody, and only the operator sees it.
create table hl7_messages (
  id uuid primary key,
  lab_id integer not null references labs,
  control_id text not null,
  -- Keyed, of the bytes: the same message that comes again is known.
  content_hash bytea not null,
  message_type text not null default '',
  state text not null default 'received' check (state in ('received', 'applied', 'failed', 'discarded')),
  reason text,
  -- Sealed for the deployment, since the team is not known when it comes.
  raw bytea not null,
  sealed_for uuid not null default '00000000-0000-0000-0000-000000000000',
  team_id uuid,
  user_id uuid,
  order_id uuid,
  tries integer not null default 0,
  received_at timestamptz not null default now(),
  settled_at timestamptz,
  unique (lab_id, control_id, content_hash)
);
create index hl7_messages_open on hl7_messages (state, received_at) where state in ('received', 'failed');
create index hl7_messages_settled on hl7_messages (settled_at) where state in ('applied', 'discarded');
create index hl7_messages_by_user on hl7_messages (user_id) where user_id is not null;
create index hl7_messages_by_team on hl7_messages (team_id) where team_id is not null;

select wall_by_team('order_numbers', 'hl7_outgoing', 'hl7_messages');
