-- Each critical result of an order, and what people did about it. A critical result that the laboratory corrects to
-- another critical one is a further row.
create table critical_results (
  user_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  team_id uuid not null,
  -- The version of the order's report. Null: the report belongs to an order that had ended, and waits for a person.
  version integer,
  result_status text not null check (result_status in ('partial', 'final')),
  -- The critical values, sealed. Null in rows of this migration, whose values are in the version of the report.
  markers bytea,
  status text not null default 'open' check (status in ('open', 'acknowledged', 'signed_off')),
  acknowledged_at timestamptz,
  acknowledgement bytea,
  signed_off_at timestamptz,
  sign_off bytea,
  created_at timestamptz not null default now(),
  primary key (user_id, order_id, id),
  foreign key (user_id, order_id) references orders (user_id, id) on update cascade on delete cascade,
  check (markers is not null or version is not null),
  check ((acknowledgement is null) = (acknowledged_at is null)),
  check ((sign_off is null) = (signed_off_at is null)),
  check ((status = 'open') = (acknowledged_at is null)),
  check ((status = 'signed_off') = (signed_off_at is not null))
);
create unique index critical_results_by_team on critical_results (team_id, id);
create index critical_results_by_status on critical_results (team_id, status, id);
select create_team_policies('critical_results');

-- Orders whose newest report is critical. Each gets one row with the time of its first critical version. The id begins
-- with that time, like every id.
insert into critical_results (user_id, order_id, id, team_id, version, result_status, created_at)
select newest.user_id, newest.order_id,
       (lpad(to_hex((extract(epoch from first.created_at) * 1000)::bigint), 12, '0') || '7'
         || right(replace(newest.order_id::text, '-', ''), 19))::uuid,
       newest.team_id, newest.version, newest.status, first.created_at
  from (select distinct on (user_id, order_id) * from lab_results order by user_id, order_id, version desc) newest
  join (select user_id, order_id, min(created_at) as created_at from lab_results
         where interpretation = 'critical' group by user_id, order_id) first using (user_id, order_id)
 where newest.interpretation = 'critical';
