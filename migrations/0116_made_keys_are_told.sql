-- Processes keep in mind which keys they did not find: whatever makes one tells them to forget that. What is known stays known.
create function notify_access_made() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_notify('phial_access', 'made');
  return null;
end $$;
create trigger team_api_keys_made after insert on team_api_keys
  for each statement execute function notify_access_made();
create trigger management_keys_made after insert on management_keys
  for each statement execute function notify_access_made();
create trigger api_access_tokens_made after insert on api_access_tokens
  for each statement execute function notify_access_made();
