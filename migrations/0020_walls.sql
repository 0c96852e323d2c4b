-- Row-level security, the wall behind the filters of the queries: a statement of the service sees the rows of the team
-- that it runs for, whatever its text forgot. src/db/session/bind.ts says with each statement whom it runs for: phial.team,
-- phial.org, or phial.across for what works for all teams; where nothing was said, nothing is seen.
-- The owner is not walled in (no `force`), since it migrates, backs up and drops; the service is never the owner.
--
-- current_setting stands in sub-selects, which are evaluated once a statement instead of once a row, and comparing
-- uuids is leakproof, so that indexes are used as they would be without the wall.

-- Lets the service work on a table within a wall. `mine` is what a row fulfils that its caller may see and write; in it
-- {team} and {org} stand for whom the statement runs for, null where it does not run for one.
create function wall(walled regclass, mine text) returns void language plpgsql
set search_path = pg_catalog, public, pg_temp as $$
begin
  mine := replace(mine, '{team}', $sql$(select nullif(current_setting('phial.team', true), '')::uuid)$sql$);
  mine := replace(mine, '{org}', $sql$(select nullif(current_setting('phial.org', true), '')::uuid)$sql$);
  execute format('grant select, insert, update, delete on %s to phial_app', walled);
  execute format('alter table %s enable row level security', walled);
  execute format($sql$create policy wall on %s using (%s or (select current_setting('phial.across', true) = 'on'))$sql$,
    walled, mine);
end $$;

create function wall_by_team(variadic tables text[]) returns void language plpgsql
set search_path = pg_catalog, public, pg_temp as $$
declare
  name text;
begin
  foreach name in array tables loop
    perform wall(name::regclass, 'team_id = {team}');
  end loop;
end $$;
revoke execute on function wall(regclass, text), wall_by_team(text[]) from public;

select wall_by_team(
  'users', 'client_user_ids', 'user_info',
  'insurances',
  'insurance_documents',
  'lab_tests',
  'order_transactions', 'orders', 'order_events', 'sample_ids', 'shipments', 'order_name_words', 'simulations',
  'lab_results',
  'webhooks',
  'events', 'attempts', 'lanes', 'deliveries', 'retries', 'held_deliveries'
);

-- Rows that hang on a walled one: the sub-select is walled itself.
select wall('lab_test_markers', 'exists (select from lab_tests where lab_tests.id = lab_test_id)');
select wall('webhook_secrets', 'exists (select from webhooks where webhooks.id = webhook_id)');

-- The directory of payors is everybody's to read; a team adds its own to it.
select wall_by_team('payors');
create policy directory on payors for select using (team_id is null);
select wall('payor_external_codes', 'exists (select from payors p where p.payor_code = payor_external_codes.payor_code
  and p.team_id = {team})');
create policy directory on payor_external_codes for select
  using (exists (select from payors p where p.payor_code = payor_external_codes.payor_code and p.team_id is null));

-- Organisations see themselves, their teams and the keys of both; a team sees itself, its organisation and its keys.
select wall('orgs', 'id = {org} or id = (select org_id from teams where teams.id = {team})');
select wall('teams', 'id = {team} or org_id = {org}');
select wall('team_api_keys', 'team_id = {team} or team_id in (select id from teams where org_id = {org})');
select wall('management_keys', 'org_id = {org}');
select wall('idempotency_keys', 'scope_id = {team} or scope_id = {org}');

-- The audit log is written for anybody, and never changed.
select wall('audit_log', 'team_id = {team} or org_id = {org}');
create policy append on audit_log for insert with check (true);
revoke update, delete, truncate on audit_log from phial_app;

-- What belongs to nobody: read by everybody, written by the owner.
grant select on labs, analytes, markers, marker_analytes, order_status_rules, migrations, seeds to phial_app;
grant select, insert on deployment, encryption_keys to phial_app;

-- Counters by key id, which tell nothing of anybody.
grant select, insert, update, delete on rate_limits to phial_app;
