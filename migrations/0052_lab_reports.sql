-- Lab reports that were sent to be read: PDFs and images, kept sealed in pieces beside the job that reads them. Their
-- bytes lie here and not in the upload directory, since they are small and stay: they are copied by a backup, sealed anew by
-- rotate-keys and gone with the statement that erases their user.
create table lab_report_files (
  id uuid primary key,
  team_id uuid not null references teams,
  job_id uuid not null,
  -- Its place among the files of its job.
  n integer not null,
  kind text not null check (kind in ('pdf', 'jpeg', 'png')),
  -- Until it has arrived what is set aside for it in the team's quota.
  bytes bigint not null,
  -- Its job is there. What is not, after some hours, was cut off by a kill.
  is_stored boolean not null default false,
  created_at timestamptz not null default now()
);
create index lab_report_files_by_team on lab_report_files (team_id, is_stored);
create index lab_report_files_by_job on lab_report_files (job_id);
create index lab_report_files_cut_off on lab_report_files (created_at) where not is_stored;

-- They arrive before it is known for which user: the fields of a form come in any order.
create table lab_report_pieces (
  file_id uuid not null references lab_report_files on delete cascade,
  n integer not null,
  team_id uuid not null,
  content bytea not null,
  primary key (file_id, n)
);

create table lab_report_jobs (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  team_id uuid not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'completed', 'failed')),
  failure_reason text check (
    failure_reason in ('invalid_input', 'low_quality', 'not_english', 'too_many_pages', 'processing_error')
  ),
  needs_human_review boolean not null,
  is_reviewed boolean not null default false,
  -- What was read, sealed.
  data bytea,
  lease uuid,
  lease_until timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (user_id, id)
);
create unique index lab_report_jobs_by_id on lab_report_jobs (team_id, id);
create index lab_report_jobs_to_do on lab_report_jobs (created_at) where status in ('queued', 'running');
create index lab_report_jobs_by_end on lab_report_jobs (team_id, ended_at);
create index lab_report_jobs_to_review on lab_report_jobs (id)
  where needs_human_review and not is_reviewed and status = 'completed';

select wall_by_team('lab_report_files');
select wall_by_team('lab_report_pieces');
select wall_by_team('lab_report_jobs');
