-- Two roles: the owner runs migrations and owns every table; phial_app is what the service acts as.
-- Roles belong to the whole server, so another database of the same server may have made it already.
do $$
begin
  create role phial_app nologin;
exception when duplicate_object or unique_violation then null;
end $$;
do $$
begin
  if not pg_has_role(current_user, 'phial_app', 'member') or not (select rolsuper from pg_roles where rolname = current_user) then
    execute format('grant phial_app to %I', current_user);
  end if;
end $$;
grant usage on schema public to phial_app;
alter default privileges in schema public grant select, insert, update, delete on tables to phial_app;
alter default privileges in schema public grant usage on sequences to phial_app;
revoke insert, update, delete on migrations from phial_app;
grant select on migrations to phial_app;

-- What this database serves: a program of another environment or region refuses to start on it.
create table deployment (
  only_row boolean primary key default true check (only_row),
  environment text not null check (environment in ('sandbox', 'production')),
  region text not null check (region in ('us', 'eu')),
  -- Key of the hashes that names are looked up by; null where the operator keeps it outside (PHIAL_LOOKUP_KEY).
  lookup_key bytea,
  lookup_key_check bytea not null,
  created_at timestamptz not null default now()
);

create table orgs (
  id uuid primary key,
  name text not null,
  plan text not null check (plan in ('launch', 'grow', 'scale')),
  created_at timestamptz not null default now()
);

create table teams (
  id uuid primary key,
  org_id uuid not null references orgs,
  name text not null,
  integration_team_id text,
  settings jsonb not null default '{}',
  created_at timestamptz not null default now()
);
create index teams_by_org on teams (org_id, id);
create unique index teams_integration on teams (org_id, integration_team_id) where integration_team_id is not null;

create table team_api_keys (
  id uuid primary key,
  team_id uuid not null references teams on delete cascade,
  label text not null,
  key_hash bytea not null unique,
  key_start text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz
);
create index team_api_keys_by_team on team_api_keys (team_id, id);

create table management_keys (
  id uuid primary key,
  org_id uuid not null references orgs,
  label text not null,
  role text not null check (role in ('org_admin', 'team_admin')),
  team_ids uuid[],
  key_hash bytea not null unique,
  key_start text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  check ((role = 'team_admin') = (team_ids is not null))
);
create index management_keys_by_org on management_keys (org_id, id);

create table users (
  id uuid primary key,
  team_id uuid not null references teams on delete cascade,
  client_user_id text not null,
  fallback_time_zone text,
  fallback_time_zone_at timestamptz,
  fallback_birth_date date,
  fallback_birth_date_at timestamptz,
  ingestion_start date,
  ingestion_end date,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index users_by_team on users (team_id, id);
create index users_to_purge on users (deleted_at) where deleted_at is not null;

create table client_user_ids (
  team_id uuid not null references teams on delete cascade,
  client_user_id text not null,
  user_id uuid not null references users on delete cascade,
  primary key (team_id, client_user_id)
);
create index client_user_ids_by_user on client_user_ids (user_id);

create table user_info (
  user_id uuid primary key references users on delete cascade,
  team_id uuid not null,
  info jsonb not null,
  updated_at timestamptz not null default now()
);

create table payors (
  payor_code text primary key,
  team_id uuid references teams on delete cascade,
  name text not null,
  aliases text[] not null default '{}',
  org_address jsonb not null,
  created_at timestamptz not null default now()
);
create index payors_by_team on payors (team_id, payor_code);

create table payor_external_codes (
  payor_code text not null references payors on delete cascade,
  provider text not null,
  provider_payor_id text not null,
  primary key (provider, provider_payor_id, payor_code)
);
create index payor_external_codes_by_payor on payor_external_codes (payor_code);

create table insurances (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  team_id uuid not null,
  payor_code text not null,
  member_id text not null,
  group_id text,
  relationship text not null,
  is_primary boolean not null,
  insured jsonb not null,
  guarantor jsonb,
  company jsonb not null,
  created_at timestamptz not null default now(),
  primary key (user_id, id)
);

create table labs (
  id integer primary key,
  slug text not null unique,
  name text not null,
  first_line_address text not null,
  city text not null,
  state text not null,
  zipcode text not null,
  clia_number text,
  collection_methods text[] not null,
  sample_types text[] not null
);

-- An analyte is one observation a laboratory can report, named by its LOINC code.
create table analytes (
  id integer primary key,
  name text not null,
  slug text not null unique,
  loinc_code text,
  loinc_name text,
  unit text,
  result_type text not null check (result_type in ('numeric', 'range', 'comment', 'coded_value')),
  range_female text,
  range_male text,
  critical_low numeric,
  critical_high numeric,
  normal_text text,
  abnormal_text text,
  decimals smallint not null default 1
);

-- A marker is what can be ordered: a biomarker (one analyte) or a panel (several).
create table markers (
  id integer primary key,
  lab_id integer not null references labs,
  name text not null,
  slug text not null,
  description text,
  provider_id text not null,
  type text not null check (type in ('biomarker', 'panel')),
  unit text,
  price numeric(10, 2),
  a_la_carte_enabled boolean not null default false,
  common_tat_days integer,
  worst_case_tat_days integer,
  unique (lab_id, slug),
  unique (lab_id, provider_id)
);

create table marker_analytes (
  marker_id integer not null references markers,
  analyte_id integer not null references analytes,
  position smallint not null,
  required boolean not null default true,
  primary key (marker_id, analyte_id)
);

create table lab_tests (
  id uuid primary key,
  team_id uuid not null references teams on delete cascade,
  slug text not null,
  name text not null,
  description text not null,
  sample_type text not null,
  method text not null check (method in ('testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection')),
  lab_id integer not null references labs,
  price numeric(10, 2) not null,
  status text not null check (status in ('active', 'pending_approval', 'inactive')),
  fasting boolean not null default false,
  auto_generated boolean not null default false,
  is_default_kit boolean not null default false,
  common_tat_days integer,
  worst_case_tat_days integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (team_id, slug)
);
create index lab_tests_by_team on lab_tests (team_id, id);
create unique index lab_tests_default_kit on lab_tests (team_id) where is_default_kit;

create table lab_test_markers (
  lab_test_id uuid not null references lab_tests on delete cascade,
  marker_id integer not null references markers,
  position smallint not null,
  primary key (lab_test_id, marker_id)
);

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
  patient_details jsonb,
  patient_address jsonb,
  shipping_details jsonb,
  physician jsonb,
  consents jsonb not null default '[]',
  health_insurance_id uuid,
  billing_type text not null default 'client_bill'
    check (billing_type in ('client_bill', 'commercial_insurance', 'patient_bill_passthrough', 'patient_bill')),
  icd_codes text[],
  notes text,
  clinical_notes text,
  passthrough text,
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
create index orders_by_team on orders (team_id, id);
create index orders_by_transaction on orders (team_id, order_transaction_id);
create index orders_by_status on orders (team_id, last_low_level_status, id);
create index orders_by_interpretation on orders (team_id, interpretation, id);
create index orders_by_updated_at on orders (team_id, updated_at, id);

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

-- Sample ids are unique in the whole deployment, in upper case.
create table sample_ids (
  sample_id text primary key check (sample_id = upper(sample_id)),
  team_id uuid not null,
  order_id uuid not null
);
create index sample_ids_by_order on sample_ids (team_id, order_id);

create table shipments (
  user_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  team_id uuid not null,
  outbound_tracking_number text,
  outbound_tracking_url text,
  outbound_courier text,
  inbound_tracking_number text,
  inbound_tracking_url text,
  inbound_courier text,
  notes text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, order_id),
  foreign key (user_id, order_id) references orders (user_id, id) on update cascade on delete cascade
);

-- Names are found by keyed hashes of their whole words, never by the names themselves.
create table order_name_words (
  user_id uuid not null,
  order_id uuid not null,
  team_id uuid not null,
  kind text not null check (kind in ('patient', 'recipient')),
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

create table lab_results (
  user_id uuid not null,
  order_id uuid not null,
  version integer not null,
  team_id uuid not null,
  status text not null check (status in ('partial', 'final')),
  interpretation text not null check (interpretation in ('normal', 'abnormal', 'critical', 'unknown')),
  metadata jsonb not null,
  results jsonb not null,
  missing_results jsonb,
  sample_information jsonb,
  created_at timestamptz not null default now(),
  primary key (user_id, order_id, version),
  foreign key (user_id, order_id) references orders (user_id, id) on update cascade on delete cascade
);

create table webhooks (
  id uuid primary key,
  team_id uuid not null references teams on delete cascade,
  url text not null,
  description text not null default '',
  rate_limit integer,
  disabled boolean not null default false,
  filter_types text[],
  headers jsonb not null default '{}',
  failing_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index webhooks_by_team on webhooks (team_id, id);

create table webhook_secrets (
  webhook_id uuid not null references webhooks on delete cascade,
  id uuid not null,
  secret text not null,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (webhook_id, id)
);

-- Ids are UUID v7, whose first 48 bits are the millisecond: a range of ids is a range of time.
create table events (
  team_id uuid not null,
  id uuid not null,
  user_id uuid,
  event_type text not null,
  body text not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id)
) partition by range (id);
create index events_by_user on events (user_id) where user_id is not null;
create table events_default partition of events default;

create table attempts (
  team_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  attempt smallint not null,
  outcome text not null check (outcome in ('succeeded', 'failed', 'exhausted')),
  http_status smallint,
  error text,
  response_body text not null default '',
  duration_ms integer not null,
  next_attempt_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (team_id, id)
) partition by range (id);
create index attempts_by_event on attempts (team_id, event_id);
create index attempts_by_webhook on attempts (webhook_id, id);
create table attempts_default partition of attempts default;

-- The queue: narrow rows, deleted when done. Led by the endpoint, so that one endpoint's backlog is not in another's way.
create table deliveries (
  webhook_id uuid not null references webhooks on delete cascade,
  event_id uuid not null,
  team_id uuid not null,
  attempt smallint not null default 0,
  fence integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  primary key (webhook_id, event_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- First attempts and retries are claimed apart, so that a backlog of retries is never read through for what is new.
create index deliveries_due on deliveries (webhook_id, (attempt = 0), next_attempt_at);
create index deliveries_by_event on deliveries (team_id, event_id);

create table idempotency_keys (
  scope_id uuid not null,
  operation text not null,
  key text not null,
  request_hash bytea not null,
  status smallint not null,
  body text not null,
  created_at timestamptz not null default now(),
  primary key (scope_id, operation, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

create table audit_log (
  id uuid primary key,
  team_id uuid,
  action text not null,
  actor text not null,
  records jsonb not null default '{}',
  created_at timestamptz not null default now()
);
revoke update, delete, truncate on audit_log from phial_app;

-- Daily partitions are made and dropped by these two functions alone: phial_app may call them but owns no table.
-- They do not wait long for a reader of the whole table, as a backup: writers would queue behind them. Days are made
-- ahead, and the next hour tries again.
create function uuid_v7_floor(day date) returns uuid language sql immutable strict
set search_path = pg_catalog, pg_temp as $$
  select (lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

create function ensure_partitions(from_day date, to_day date) returns void language plpgsql security definer
set search_path = pg_catalog, public, pg_temp set lock_timeout = '2s' as $$
declare
  parent text;
  day date;
  part text;
begin
  foreach parent in array array['events', 'attempts'] loop
    for day in select generate_series(from_day, to_day, interval '1 day')::date loop
      part := parent || '_' || to_char(day, 'YYYYMMDD');
      if to_regclass('public.' || part) is null then
        begin
          execute format('create table public.%I partition of public.%I for values from (%L) to (%L)',
            part, parent, public.uuid_v7_floor(day), public.uuid_v7_floor(day + 1));
        exception
          when duplicate_table then null; -- another process was faster
          when lock_not_available then return;
          when check_violation then null; -- rows of that day lie in the default partition already and stay there
        end;
      end if;
    end loop;
  end loop;
end $$;

create function drop_partitions_before(first_kept date) returns integer language plpgsql security definer
set search_path = pg_catalog, public, pg_temp set lock_timeout = '2s' as $$
declare
  part text;
  dropped integer := 0;
begin
  for part in
    select c.relname from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
     where i.inhparent in ('public.events'::regclass, 'public.attempts'::regclass)
       and c.relname ~ '_\d{8}$' and to_date(right(c.relname, 8), 'YYYYMMDD') < first_kept
  loop
    begin
      execute format('drop table public.%I', part);
      dropped := dropped + 1;
    exception when lock_not_available then return dropped;
    end;
  end loop;
  delete from public.deliveries where event_id < public.uuid_v7_floor(first_kept);
  delete from public.events_default where id < public.uuid_v7_floor(first_kept);
  delete from public.attempts_default where id < public.uuid_v7_floor(first_kept);
  return dropped;
end $$;

revoke execute on function ensure_partitions(date, date), drop_partitions_before(date) from public;
grant execute on function ensure_partitions(date, date), drop_partitions_before(date) to phial_app;
select ensure_partitions(current_date - 1, current_date + 2);

-- Whoever caches keys or settings listens to this: the payload is not needed, everything cached is dropped.
create function notify_access_changed() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_notify('phial_access', '');
  return null;
end $$;
create trigger team_api_keys_changed after update or delete on team_api_keys
  for each statement execute function notify_access_changed();
create trigger management_keys_changed after update or delete on management_keys
  for each statement execute function notify_access_changed();
create trigger orgs_changed after update or delete on orgs
  for each statement execute function notify_access_changed();
create trigger teams_changed after update or delete on teams
  for each statement execute function notify_access_changed();
