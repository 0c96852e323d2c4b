create table audit_log (
  id uuid primary key,
  team_id uuid,
  action text not null,
  actor text not null,
  records jsonb not null default '{}',
  created_at timestamptz not null default now()
);
revoke update, delete, truncate on audit_log from phial_app;
