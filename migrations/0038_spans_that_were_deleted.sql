-- A notification that says what lies in its span to be deleted: what the provider has there no longer goes.
alter table inbox add column deleted boolean not null default false;
