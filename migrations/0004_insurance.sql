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

-- details are sealed (src/privacy/columns.ts): member and group id, the insured and the guarantor.
create table insurances (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  team_id uuid not null,
  payor_code text not null,
  relationship text not null,
  is_primary boolean not null,
  details bytea not null,
  company jsonb not null,
  created_at timestamptz not null default now(),
  primary key (user_id, id)
);

-- What came with a record beside its data: images of the card, the patient's signature, the physician's notes.
create table insurance_documents (
  user_id uuid not null,
  insurance_id uuid not null,
  id uuid not null,
  team_id uuid not null,
  kind text not null check (kind in ('front_image', 'back_image', 'patient_signature_image', 'subjective', 'assessment_plan')),
  content bytea not null,
  created_at timestamptz not null default now(),
  primary key (user_id, insurance_id, id),
  foreign key (user_id, insurance_id) references insurances (user_id, id) on delete cascade
);
