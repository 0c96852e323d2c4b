-- Domains that an organisation says are its own, and what proves it: a text in the domain's zone that only who holds it can put
-- there. Others may claim the same domain; each has a proof of its own.
create table org_domains (
  id uuid primary key,
  org_id uuid not null references orgs,
  domain text not null,
  proof text not null,
  verified_at timestamptz,
  created_at timestamptz not null default now(),
  unique (org_id, domain)
);
select wall('org_domains', 'org_id = {org}');
