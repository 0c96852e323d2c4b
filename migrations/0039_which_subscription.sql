-- The provider's own id of the subscription, of one that has one for everybody, as its notifications say it; null: not known.
alter table application_subscriptions add column external_id text;
