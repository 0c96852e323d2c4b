-- In sandboxes: the provider that has asked the user of a link token for a second factor, and how often a wrong one was sent.
alter table link_tokens
  add column mfa_provider text,
  add column mfa_failures integer not null default 0;
