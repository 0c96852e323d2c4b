-- When a stream got a new sample or another value last, by which a connection tells when it last brought something.
alter table streams add column changed_at timestamptz;
