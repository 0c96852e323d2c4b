-- How the data came that an event of daily.data tells of: live, backfill, import or replay; null of every other event.
alter table events add column origin text;

-- Rises with each write to a stream and each deletion in it: of two events of a stream the one with the greater version is the newer.
-- Milliseconds since 1970, or one more than before where that is greater: a stream that is made anew, and a server that was restored,
-- go on above what was told before.
alter table streams add column version bigint not null default 0;
