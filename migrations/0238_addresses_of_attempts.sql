-- An attempt shows the URL that it was sent to, also after the endpoint has got another URL or was deleted.
alter table attempts
  -- How often the URL of the endpoint had changed. Null if nothing was sent, and for older attempts.
  add url_changes integer;

-- The earlier URLs of endpoints. Rows are erased with their team, and by retention when no stored attempt needs them.
create table webhook_urls (
  team_id uuid not null,
  webhook_id uuid not null,
  url_changes integer not null,
  url text not null,
  replaced_at timestamptz not null default now(),
  primary key (team_id, webhook_id, url_changes)
);
select create_team_policies('webhook_urls');
