-- Reports of laboratories for a team that no number of an order leads anywhere, until somebody decides whose they are.
create table unmatched_results (
  id uuid primary key,
  team_id uuid not null references teams on delete cascade,
  lab_id integer not null references labs,
  lab_account_id uuid,
  -- Keyed, of the whole report: the same that comes again is known.
  report_hash bytea not null,
  status text not null default 'pending_customer_review'
    check (status in ('pending_customer_review', 'pending_ops_review', 'resolved')),
  decision_code text not null check (decision_code in ('match_sample_id', 'match_completed', 'match_cancelled',
    'wrong_collection', 'wrong_lab', 'multiple_demo_match', 'match_sample_id_mismatch_demo', 'match_demo', 'no_match')),
  sub_reason_codes text[] not null default '{}' check (sub_reason_codes <@ '{lab_account_mismatch}'),
  report bytea not null,
  note bytea,
  -- Whom it was accepted for.
  user_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  reviewed_at timestamptz,
  unique (team_id, lab_id, report_hash)
);
create index unmatched_results_by_status on unmatched_results (team_id, status, id);
create index unmatched_results_by_team on unmatched_results (team_id, id);
create index unmatched_results_by_user on unmatched_results (user_id) where user_id is not null;
create index unmatched_results_reviewed on unmatched_results (reviewed_at) where reviewed_at is not null;
-- For the foreign key.
create index unmatched_results_by_lab on unmatched_results (lab_id);

-- Orders of the team that a report may be of. They follow their order to another user, and go with it.
create table unmatched_candidates (
  user_id uuid not null,
  order_id uuid not null,
  unmatched_result_id uuid not null references unmatched_results on delete cascade,
  team_id uuid not null,
  candidate_type text not null check (candidate_type in ('provenance_order', 'order_option')),
  confidence_level text not null check (confidence_level in ('high', 'medium', 'low')),
  confidence_score double precision not null,
  reasons text[] not null,
  marker_overlap jsonb,
  primary key (user_id, order_id, unmatched_result_id),
  foreign key (user_id, order_id) references orders (user_id, id) on update cascade on delete cascade
);
create index unmatched_candidates_by_result on unmatched_candidates (unmatched_result_id);

select wall_by_team('unmatched_results', 'unmatched_candidates');
