-- By which a program calls for an hour as the team itself. Only hashes: the tokens carry 256 random bits.
create table api_access_tokens (
  team_id uuid not null references teams on delete cascade,
  id uuid not null,
  -- The management key that made it: what ends that key, or takes the team from it, ends the token.
  created_by uuid not null references management_keys,
  token_hash bytea not null unique,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id)
);
create index api_access_tokens_expired on api_access_tokens (expires_at);

select wall_by_team('api_access_tokens');
