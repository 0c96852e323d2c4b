-- Who has connected which provider: one row a user and provider, which a new connection takes over. Columns of type
-- bytea are sealed (src/privacy/columns.ts), but for external_user_hash, by which a provider's messages are matched.
create table connections (
  user_id uuid not null references users on delete cascade,
  provider text not null,
  team_id uuid not null,
  status text not null check (status in ('connected', 'error', 'paused')),
  external_user_id bytea,
  external_user_hash bytea,
  -- Whether the provider has told whose account it is; what a team says of itself counts for that team only.
  account_proven boolean not null default false,
  -- null: the provider knows no scopes, or did not tell.
  granted_scopes text[],
  tokens bytea,
  tokens_expire_at timestamptz,
  -- Who renews the tokens has until then; null: nobody does.
  refreshing_until timestamptz,
  error_type text,
  errored_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, provider),
  check ((status = 'error') = (error_type is not null)),
  check ((error_type is null) = (errored_at is null))
);
create index connections_by_team on connections (team_id, provider, user_id);
create index connections_by_external_user on connections (provider, external_user_hash, team_id, user_id)
  where external_user_hash is not null;

-- What was done to many connections at once.
create table bulk_ops (
  team_id uuid not null references teams on delete cascade,
  id uuid not null,
  type text not null check (type in ('link_bulk_import', 'link_bulk_historical_trigger')),
  status text not null check (status in ('in_progress', 'success', 'failure', 'aborted')),
  provider text not null,
  pending integer not null,
  processed integer not null,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (team_id, id)
);

select wall_by_team('connections', 'bulk_ops');

-- By which a user's own phone sends for a while. Only hashes: the tokens carry 256 random bits.
create table user_tokens (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  team_id uuid not null,
  token_hash bytea not null unique,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (user_id, id)
);
create index user_tokens_expired on user_tokens (expires_at);

select wall_by_team('user_tokens');

-- Tokens of connections that have ended, without their users, until the provider was told.
create table token_revocations (
  team_id uuid not null,
  id uuid not null,
  provider text not null,
  tokens bytea not null,
  tries integer not null default 0,
  created_at timestamptz not null default now(),
  primary key (team_id, id)
);

-- Lets the browser of one user connect one provider, once. Only the hash of the token is kept.
create table link_tokens (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  team_id uuid not null,
  token_hash bytea not null unique,
  provider text,
  filter_on_providers text[],
  redirect_url text,
  on_error text check (on_error = 'redirect'),
  on_close text check (on_close = 'redirect'),
  expires_at timestamptz not null,
  consumed_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (user_id, id)
);
create index link_tokens_expired on link_tokens (expires_at);

-- By which a phone gets its user's token, once.
create table link_codes (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  team_id uuid not null,
  code_hash bytea not null unique,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (user_id, id)
);
create index link_codes_expired on link_codes (expires_at);

-- A user who is at a provider's page, and whom the provider will send back. The row is taken away by the return.
create table oauth_states (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  team_id uuid not null,
  state_hash bytea not null unique,
  -- Of the cookie: only the browser that left may come back.
  browser_hash bytea not null,
  provider text not null,
  link_token_id uuid not null,
  -- Whether the user left from the hosted page, which shows errors itself.
  from_page boolean not null,
  code_verifier bytea,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (user_id, id)
);
create index oauth_states_expired on oauth_states (expires_at);

select wall_by_team('token_revocations', 'link_tokens', 'link_codes', 'oauth_states');
