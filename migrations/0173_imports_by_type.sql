-- What of a file is not stored, counted by type and reason; archives of further services.
alter table imports
  add column skipped_by_type jsonb not null default '[]' check (jsonb_typeof(skipped_by_type) = 'array'),
  drop constraint imports_kind_check,
  add constraint imports_kind_check
    check (kind in ('apple_health', 'fit', 'tcx', 'gpx', 'garmin_export', 'google_takeout', 'samsung_health'));
