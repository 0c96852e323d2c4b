-- Answers are sealed (src/privacy/columns.ts); requests are known again by a keyed hash.
create table idempotency_keys (
  scope_id uuid not null,
  operation text not null,
  key text not null,
  request_hash bytea not null,
  status smallint not null,
  body bytea not null,
  created_at timestamptz not null default now(),
  primary key (scope_id, operation, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
