-- Tables, columns and policies take the words of docs/glossary.md. No row changes.

alter table lanes rename to endpoint_queues;
alter index lanes_pkey rename to endpoint_queues_pkey;
alter index lanes_to_wake rename to endpoint_queues_to_wake;
alter index lanes_leased rename to endpoint_queues_leased;
alter table endpoint_queues rename constraint lanes_webhook_id_fkey to endpoint_queues_webhook_id_fkey;

alter table held_deliveries rename to deferred_deliveries;
alter index held_deliveries_pkey rename to deferred_deliveries_pkey;
alter index held_deliveries_by_webhook rename to deferred_deliveries_by_webhook;

alter table held_events rename to deferred_events;
alter index held_events_pkey rename to deferred_events_pkey;
alter index held_events_told rename to deferred_events_released;

alter table lab_report_pieces rename to lab_report_chunks;
alter index lab_report_pieces_pkey rename to lab_report_chunks_pkey;
alter table lab_report_chunks rename constraint lab_report_pieces_file_id_fkey to lab_report_chunks_file_id_fkey;

alter table queue_turns rename to queue_last_served;
alter index queue_turns_pkey rename to queue_last_served_pkey;
alter index queue_turns_by_owner rename to queue_last_served_by_owner;
alter index queue_turns_by_age rename to queue_last_served_by_age;

alter table appointments rename column place to site;
alter table appointments rename column told_at to reported_at;
alter table appointment_slots rename column place_hash to site_hash;
alter table provider_waits rename column told_by to answered_to;
alter table provider_waits rename column told_at to answered_at;
alter table hl7_messages rename column settled_at to decided_at;
alter index hl7_messages_settled rename to hl7_messages_decided;
alter table polls rename column held_since to leased_since;
alter table summaries rename column told_hash to content_hash;

-- Every table's policy is `own_rows`: the rows that the caller of a statement owns.
do $$
declare
  named record;
begin
  for named in select polname, polrelid::regclass as of_table from pg_policy where polname = 'wall' loop
    execute format('alter policy wall on %s rename to own_rows', named.of_table);
  end loop;
end $$;

drop function wall_by_team(text[]);
drop function wall(regclass, text);

-- Grants a table to the service and shows it only the rows for which `condition` is true. {team} and {org} stand for the
-- team and the organisation that the statement runs for, and are null if it runs for none.
create function create_row_policy(of_table regclass, condition text) returns void language plpgsql
set search_path = pg_catalog, public, pg_temp as $$
begin
  condition := replace(condition, '{team}', $sql$(select nullif(current_setting('phial.team', true), '')::uuid)$sql$);
  condition := replace(condition, '{org}', $sql$(select nullif(current_setting('phial.org', true), '')::uuid)$sql$);
  execute format('grant select, insert, update, delete on %s to phial_app', of_table);
  execute format('alter table %s enable row level security', of_table);
  execute format($sql$create policy own_rows on %s using (%s or (select current_setting('phial.across', true) = 'on'))$sql$,
    of_table, condition);
end $$;

-- The same for tables that bear `team_id`: the service sees the rows of the team that a statement runs for.
create function create_team_policies(variadic tables text[]) returns void language plpgsql
set search_path = pg_catalog, public, pg_temp as $$
declare
  name text;
begin
  foreach name in array tables loop
    perform create_row_policy(name::regclass, 'team_id = {team}');
  end loop;
end $$;
revoke execute on function create_row_policy(regclass, text), create_team_policies(text[]) from public;
