-- The patient and the unread lines of a lab report, sealed, as the person needs them who reviews it. Corrections of the
-- data leave them as they are. Null for reports that were read before.
alter table lab_report_jobs add column as_read bytea;
