-- Who did or read what, by ids alone. The service may add and read; what is older than it has to be kept, the owner drops.
create table audit_log (
  id uuid primary key,
  created_at timestamptz not null default now(),
  -- Whom it was about, and whose key it was; no key where the service or its operator did it.
  org_id uuid,
  team_id uuid,
  key_id uuid,
  -- The kind of key, the name of the service's own task, or 'operator'.
  actor text not null,
  -- The operation's id, what the task did, or the words of the operator's command.
  action text not null,
  -- Status of the answer; null where no request was answered.
  status smallint,
  -- Ids of what was read or changed.
  records uuid[] not null default '{}',
  request_id uuid,
  address inet
) partition by range (id);
create table audit_log_default partition of audit_log default;
revoke update, delete, truncate on audit_log, audit_log_default from phial_app;

-- A partition a month. Partitions are made by this function only, so that none can be changed by the service.
create function ensure_audit_partitions(first_month date, last_month date) returns void language plpgsql security definer
set search_path = pg_catalog, public, pg_temp set lock_timeout = '2s' as $$
declare
  month date;
  part text;
begin
  for month in select generate_series(date_trunc('month', first_month), last_month, interval '1 month')::date loop
    part := 'audit_log_' || to_char(month, 'YYYYMM');
    if to_regclass('public.' || part) is null then
      begin
        execute format('create table public.%I partition of public.audit_log for values from (%L) to (%L)',
          part, public.uuid_v7_floor(month), public.uuid_v7_floor((month + interval '1 month')::date));
        execute format('revoke all on public.%I from phial_app', part);
      exception
        when duplicate_table then null; -- another process was faster
        when lock_not_available then return;
        when check_violation then null; -- rows of that month lie in the default partition already and stay there
      end;
    end if;
  end loop;
end $$;

-- The owner's alone.
create function drop_audit_before(first_kept date) returns integer language plpgsql
set search_path = pg_catalog, public, pg_temp set lock_timeout = '2s' as $$
declare
  part text;
  dropped integer := 0;
begin
  for part in
    select c.relname from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'public.audit_log'::regclass
       and c.relname ~ '_\d{6}$' and to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month' <= first_kept
  loop
    execute format('drop table public.%I', part);
    dropped := dropped + 1;
  end loop;
  delete from public.audit_log_default where id < public.uuid_v7_floor(first_kept);
  return dropped;
end $$;

revoke execute on function ensure_audit_partitions(date, date), drop_audit_before(date) from public;
grant execute on function ensure_audit_partitions(date, date) to phial_app;
