-- headers and secrets are sealed by the service (src/privacy/columns.ts).
create table webhooks (
  id uuid primary key,
  team_id uuid not null references teams on delete cascade,
  url text not null,
  description text not null default '',
  rate_limit integer,
  disabled boolean not null default false,
  filter_types text[],
  headers bytea,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index webhooks_by_team on webhooks (team_id, id);

create table webhook_secrets (
  webhook_id uuid not null references webhooks on delete cascade,
  id uuid not null,
  team_id uuid not null,
  secret bytea not null,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (webhook_id, id)
);
