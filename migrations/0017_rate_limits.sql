-- What is left of each key's allowance. Unlogged: it is worth nothing after a crash, and every key begins anew then.
create unlogged table rate_limits (
  key_id uuid primary key,
  -- Requests that the bucket held after the newest lease, and how many that lease took.
  tokens double precision not null,
  granted integer not null,
  refilled_at timestamptz not null default now()
);
create index rate_limits_by_age on rate_limits (refilled_at);
