-- When a provider takes requests of this deployment's application again: a row a provider that has said so. Pulls of the
-- past leave the last part of what the application may ask to polls and news, so they can have to wait longer. It tells
-- nothing of anybody.
create table provider_waits (
  provider text primary key,
  polls_until timestamptz not null,
  past_until timestamptz not null
);
grant select, insert, update, delete on provider_waits to phial_app;

-- What providers have told of by themselves: a row a notification and connection, kept for a while, so that one that comes
-- again is known. It says where to look, and no more.
create table inbox (
  user_id uuid not null references users on delete cascade,
  provider text not null,
  -- Keyed, of the notification as it came.
  hash bytea not null,
  team_id uuid not null,
  resources text[] not null,
  object_resource text,
  object_id text,
  tries integer not null default 0,
  received_at timestamptz not null default now(),
  worked_at timestamptz,
  primary key (user_id, provider, hash)
);
create index inbox_by_team on inbox (team_id, user_id);
create index inbox_received on inbox (received_at);

select wall_by_team('inbox');
