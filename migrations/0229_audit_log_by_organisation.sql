-- An organisation reads its own lines, the newest first. Each new partition gets this index with the table.
create index audit_log_by_org on audit_log (org_id, id);

-- What waits between a team and its laboratories, for its status and its lists.
create index laboratory_outbox_open_of_team on laboratory_outbox (team_id, state, id)
  where state in ('waiting', 'held', 'committed', 'refused');
create index hl7_messages_failed_of_team on hl7_messages (team_id, id) where state = 'failed' and team_id is not null;
create index lab_report_jobs_to_review_of_team on lab_report_jobs (team_id, id)
  where needs_human_review and not is_reviewed and status = 'completed';
