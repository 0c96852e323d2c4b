-- What this deployment's application at a provider is subscribed to, so that the provider tells of news by itself: when to
-- look again, which renews what ends, and who looks. Under another address or id of the application it is looked at once.
create table application_subscriptions (
  provider text primary key,
  base_url text not null,
  client_id text not null,
  due_at timestamptz not null,
  leased_until timestamptz,
  failures integer not null default 0
);
grant select, insert, update, delete on application_subscriptions to phial_app;

-- The same where a provider is asked for the news of each user apart.
create table user_subscriptions (
  user_id uuid not null,
  provider text not null,
  team_id uuid not null,
  due_at timestamptz not null default now(),
  leased_until timestamptz,
  failures integer not null default 0,
  primary key (user_id, provider),
  foreign key (user_id, provider) references connections (user_id, provider) on delete cascade
);
create index user_subscriptions_due on user_subscriptions (team_id, due_at);

select wall_by_team('user_subscriptions');
