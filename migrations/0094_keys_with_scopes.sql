-- What a team API key is limited to, null where it is not, and when it was used last. The words of scopes are the
-- program's: one that it does not know opens nothing.
alter table team_api_keys
  add column scopes text[] check (cardinality(scopes) between 1 and 50),
  add column last_used_at timestamptz;

-- That a key was used changes nothing of what it opens: caches are kept.
drop trigger team_api_keys_changed on team_api_keys;
create trigger team_api_keys_changed
  after update of team_id, key_hash, scopes, expires_at, revoked_at or delete on team_api_keys
  for each statement execute function notify_access_changed();
