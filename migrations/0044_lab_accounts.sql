-- An account at a laboratory: under whose number orders go out, how they may be billed, and whose teams may use it.
create table lab_accounts (
  id uuid primary key,
  -- Null: everybody's, as in a sandbox the accounts at its simulated laboratories.
  org_id uuid references orgs,
  lab_id integer not null references labs,
  status text not null check (status in ('active', 'pending', 'suspended', 'ready_to_launch')),
  delegated_flow text not null
    check (delegated_flow in ('order_delegated', 'result_delegated', 'fully_delegated', 'not_delegated')),
  -- The laboratory's own number for it.
  provider_account_id text not null,
  account_name text,
  default_clinical_notes text,
  business_units text[],
  -- States by type of billing, as {"client_bill": ["AZ"]}; what is not in it is not allowed.
  allowed_billing jsonb not null,
  -- Empty: every team of the organisation.
  team_id_allowlist uuid[] not null default '{}',
  created_at timestamptz not null default now(),
  unique (org_id, lab_id, provider_account_id),
  check (org_id is not null or team_id_allowlist = '{}')
);

-- The organisation has its accounts; its teams read those that are open to them, and nobody changes everybody's.
select wall('lab_accounts', 'org_id = {org}');
create policy of_team on lab_accounts for select using (
  org_id = (select org_id from teams where teams.id = (select nullif(current_setting('phial.team', true), '')::uuid))
  and (team_id_allowlist = '{}'
    or (select nullif(current_setting('phial.team', true), '')::uuid) = any (team_id_allowlist)));
create policy of_everybody on lab_accounts for select using (
  org_id is null
  and (select concat(current_setting('phial.team', true), current_setting('phial.org', true))) <> '');
