-- Of what a laboratory reports by a document alone (pathology, genetics), an order is complete without a value.
alter table markers add column reported_as text not null default 'values'
  constraint markers_reported_as check (reported_as in ('values', 'document'));
