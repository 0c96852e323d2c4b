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
  sample_types text[] not null,
  -- Rises with every change of the laboratory or of a marker of it.
  revision integer not null default 0
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
  -- Rises with every change of the lab test and of its list of markers.
  revision integer not null default 0,
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

-- What is kept ready of a lab test bears both revisions: whoever reads them with an order knows whether it still holds.
create function revise_row() returns trigger language plpgsql
set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.revision = old.revision then new.revision := old.revision + 1; end if;
  return new;
end $$;
create trigger labs_revised before update on labs for each row execute function revise_row();
create trigger lab_tests_revised before update on lab_tests for each row execute function revise_row();

create function revise_lab_of_marker() returns trigger language plpgsql
set search_path = pg_catalog, public, pg_temp as $$
begin
  update labs set revision = revision + 1 where id in (old.lab_id, new.lab_id);
  return null;
end $$;
create trigger markers_revise_lab after update on markers for each row execute function revise_lab_of_marker();

create function revise_lab_tests_of_markers() returns trigger language plpgsql
set search_path = pg_catalog, public, pg_temp as $$
begin
  update lab_tests set revision = revision + 1 where id in (select lab_test_id from changed);
  return null;
end $$;
create trigger lab_test_markers_added after insert on lab_test_markers referencing new table as changed
  for each statement execute function revise_lab_tests_of_markers();
create trigger lab_test_markers_changed after update on lab_test_markers referencing new table as changed
  for each statement execute function revise_lab_tests_of_markers();
create trigger lab_test_markers_removed after delete on lab_test_markers referencing old table as changed
  for each statement execute function revise_lab_tests_of_markers();
