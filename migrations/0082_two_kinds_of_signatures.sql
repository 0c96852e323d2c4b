-- Receivers that hold no secret verify v1a (ed25519) with a public key; of such a key pair `secret` holds the private half.
alter table webhooks add column v1a_enabled boolean not null default false;
alter table webhook_secrets add column signature text not null default 'v1' check (signature in ('v1', 'v1a'));
