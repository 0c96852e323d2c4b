-- Which record of its source a sample is from, where whoever pushed it said so: phones tell of what was deleted by nothing else. A keyed
-- hash of the provider and the record's own id, 16 bytes of it. One record can hold many samples.
create table sample_records (
  stream_id bigint not null,
  at timestamptz not null,
  team_id uuid not null,
  record bytea not null,
  primary key (stream_id, at)
);
create index sample_records_by_record on sample_records (team_id, record);

select wall_by_team('sample_records');
