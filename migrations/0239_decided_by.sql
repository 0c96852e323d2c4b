-- Who decided about an unmatched report, sealed. Null if the caller had a key.
alter table unmatched_results add column decided_by bytea;
