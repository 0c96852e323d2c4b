-- Lab reports that a person has to review or has reviewed, so that an accepted one is found again.
create index lab_report_jobs_reviews_of_team on lab_report_jobs (team_id, id)
  where needs_human_review and status = 'completed';
