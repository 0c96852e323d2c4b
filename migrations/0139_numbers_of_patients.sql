-- Short numbers of patients for laboratories, whose field for them (CX.1) holds 15 characters.
create sequence patient_number_counter;
grant usage on sequence patient_number_counter to phial_app;
create table patient_numbers (
  user_id uuid primary key references users on delete cascade,
  team_id uuid not null,
  number text not null unique,
  created_at timestamptz not null default now()
);
create index patient_numbers_by_team on patient_numbers (team_id);
select wall_by_team('patient_numbers');
