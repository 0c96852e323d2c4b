-- A stream is a series of a user from one app on one device. Two apps of one kind of device share none any more: their samples have
-- intervals of their own, which are not to be added up. That a time has one sample of a provider and kind of device all the same,
-- as the interface says, is seen to by whoever writes: as the only writer of the user.
alter table streams drop constraint streams_pkey;
alter table streams add primary key (user_id, id);
create unique index streams_by_source on streams (user_id, resource, provider, source_type, kind, app_id, device_id) nulls not distinct;
