-- Who a mail is to, as a keyed hash: how many one address gets in a day is counted by it. Null once that day is over, and of mails
-- that were written before.
alter table mails add column reader_hash bytea;
create index mails_by_reader on mails (reader_hash, org_id, created_at) where reader_hash is not null;
