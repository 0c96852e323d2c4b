-- A lab test that a team makes waits for approval once: taken out of use meanwhile, it comes back to waiting.
alter table lab_tests add column approved_at timestamptz default now();
alter table lab_tests add check (status <> 'active' or approved_at is not null);
