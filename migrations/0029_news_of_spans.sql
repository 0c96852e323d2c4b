-- Some providers tell of a span of time in which something has changed, or that a user has ended the agreement there.
alter table inbox
  add column span_from timestamptz,
  add column span_to timestamptz,
  add column ended boolean not null default false;
