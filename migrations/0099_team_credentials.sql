-- A team's own application at a provider, or what it has with a laboratory. Columns of type bytea are sealed
-- (src/privacy/columns.ts), but for client_secret_hash, which is keyed and shown.
create table team_credentials (
  team_id uuid not null references teams on delete cascade,
  id uuid not null,
  org_id uuid not null references orgs,
  provider text not null,
  client_id text,
  client_secret bytea,
  client_secret_hash bytea,
  details bytea,
  redirect_url_override text,
  -- Replaced or deleted: nothing new is connected by it, and it goes once no connection needs it any more.
  retired_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id),
  check ((client_secret is null) = (client_secret_hash is null))
);
create unique index team_credentials_in_use on team_credentials (team_id, provider) where retired_at is null;
-- A row is one application: one that is set again is the same.
create unique index team_credentials_by_client on team_credentials (team_id, provider, coalesce(client_id, ''));
create unique index team_credentials_by_org on team_credentials (org_id, id);
create index team_credentials_retired on team_credentials (retired_at) where retired_at is not null;
select wall('team_credentials', 'team_id = {team} or org_id = {org}');

-- By whose application it was made: by that it is renewed, and that is told when it ends. Null: by the deployment's.
alter table connections add column credential_id uuid;
alter table connections add foreign key (team_id, credential_id) references team_credentials;
create index connections_by_credential on connections (team_id, credential_id) where credential_id is not null;

alter table token_revocations add column credential_id uuid;
alter table token_revocations add foreign key (team_id, credential_id) references team_credentials;
create index token_revocations_by_credential on token_revocations (team_id, credential_id) where credential_id is not null;

-- What the user left with, and where the provider was told to send them back: null, to us.
alter table oauth_states add column credential_id uuid, add column redirect_uri text;
alter table oauth_states add foreign key (team_id, credential_id) references team_credentials;
create index oauth_states_by_credential on oauth_states (team_id, credential_id) where credential_id is not null;
