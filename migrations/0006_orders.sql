create table order_transactions (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  team_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (user_id, id)
);
create index order_transactions_by_team on order_transactions (team_id, id);

-- last_* repeat the newest order event, so that lists filter and sort without joining.
-- An order moves to another user by its transaction's user_id; the foreign keys carry everything along.
-- Columns of type bytea are sealed (src/privacy/columns.ts).
create table orders (
  user_id uuid not null,
  id uuid not null,
  team_id uuid not null,
  order_transaction_id uuid not null,
  origin text not null check (origin in ('initial', 'redraw', 'recreation')),
  lab_test_id uuid not null references lab_tests,
  details_id uuid not null,
  method text not null check (method in ('testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection')),
  sample_id text,
  patient_details bytea,
  patient_address bytea,
  shipping_details bytea,
  physician bytea,
  consents bytea,
  health_insurance_id uuid,
  billing_type text not null default 'client_bill'
    check (billing_type in ('client_bill', 'commercial_insurance', 'patient_bill_passthrough', 'patient_bill')),
  icd_codes bytea,
  notes bytea,
  clinical_notes bytea,
  passthrough bytea,
  priority boolean not null default false,
  activate_by date,
  has_abn boolean not null default false,
  interpretation text check (interpretation in ('normal', 'abnormal', 'critical', 'unknown')),
  has_missing_results boolean,
  last_event_id integer not null default 0,
  last_status text not null,
  last_low_level_status text not null,
  last_event_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, id),
  foreign key (user_id, order_transaction_id) references order_transactions (user_id, id)
    on update cascade on delete cascade
);
create index orders_by_status on orders (team_id, last_low_level_status, id);
create index orders_by_interpretation on orders (team_id, interpretation, id) where interpretation is not null;
create index orders_by_updated_at on orders (team_id, updated_at, id);
-- For the foreign key: a lab test that goes with its team is looked for in the orders of everybody.
create index orders_by_lab_test on orders (lab_test_id);
-- What single orders are looked up by comes last: of indexes that look equally good while a table is small, the planner
-- takes the newest, and a prepared statement keeps that plan while the table grows.
-- The user stands in the first so that a list is counted without reading the orders themselves.
create index orders_by_team on orders (team_id, id) include (user_id);
-- The transaction stands first in this: foreign keys look for its orders without a team.
create index orders_by_transaction on orders (order_transaction_id, team_id);

create table order_events (
  user_id uuid not null,
  order_id uuid not null,
  team_id uuid not null,
  id integer not null,
  status text not null,
  status_detail text check (status_detail in ('fulfillment_error', 'date_of_collection_unspecified',
    'demographic_information_unspecified', 'demographic_information_mismatch', 'sample_quantity_not_sufficient',
    'sample_contaminated', 'sample_stability_exceeded', 'sample_hemolyzed', 'sample_improper_collection')),
  leg text not null default '',
  registration text not null default '',
  created_at timestamptz not null default now(),
  primary key (user_id, order_id, id),
  foreign key (user_id, order_id) references orders (user_id, id) on update cascade on delete cascade
);

-- Sample ids are unique in the whole deployment, in upper case. One without an order was issued to the team by a
-- laboratory and waits for its registration.
create table sample_ids (
  sample_id text primary key check (sample_id = upper(sample_id)),
  team_id uuid not null,
  order_id uuid
);
create index sample_ids_by_order on sample_ids (team_id, order_id);

create table shipments (
  user_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  team_id uuid not null,
  outbound_tracking_number bytea,
  outbound_tracking_url bytea,
  outbound_courier text,
  inbound_tracking_number bytea,
  inbound_tracking_url bytea,
  inbound_courier text,
  notes bytea,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, order_id),
  foreign key (user_id, order_id) references orders (user_id, id) on update cascade on delete cascade
);

-- Orders are found by keyed hashes of what is sealed: whole words of names, and the date of birth. Rows, not an array
-- with an index of its own kind: row-level security keeps operators that are not leakproof away from indexes.
create table order_name_words (
  user_id uuid not null,
  order_id uuid not null,
  team_id uuid not null,
  kind text not null check (kind in ('patient', 'recipient', 'birth_date')),
  word_hash bytea not null,
  primary key (user_id, order_id, kind, word_hash),
  foreign key (user_id, order_id) references orders (user_id, id) on update cascade on delete cascade
);
create index order_name_words_by_word on order_name_words (team_id, word_hash, kind, order_id);

create table simulations (
  user_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  team_id uuid not null,
  steps text[] not null,
  next_step integer not null default 0,
  delay_seconds integer not null,
  due_at timestamptz not null,
  flags jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (user_id, order_id),
  foreign key (user_id, order_id) references orders (user_id, id) on update cascade on delete cascade
);
create index simulations_by_team on simulations (team_id, order_id);
create index simulations_due on simulations (due_at);
