-- What ends with whom: a lease with the worker that holds it, a user's token with the key by which it was made.
alter table etl_pipelines add lease_worker uuid;
alter table user_tokens add made_by uuid;
alter table link_codes add made_by uuid;
-- Of a code that is there already nobody knows the key: it is good for an hour, as a token is.
update link_codes set expires_at = least(expires_at, now() + interval '1 hour');
