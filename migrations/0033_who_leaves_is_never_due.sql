-- When whoever holds a poll began: its fence, and what tells whether it looked after it was asked for.
alter table polls add column held_since timestamptz;

-- What is pulled of a user who is scheduled for deletion is never due, and due at once when that is taken back.
create function pulls_follow_users() returns trigger language plpgsql as $$
declare
  moment timestamptz := case when new.deleted_at is null then now() else 'infinity' end;
begin
  update polls set due_at = moment from connections c
   where polls.user_id = new.id and c.user_id = polls.user_id and c.provider = polls.provider and c.status = 'connected';
  update pulls set due_at = moment from connections c
   where pulls.user_id = new.id and pulls.ended_at is null
     and c.user_id = pulls.user_id and c.provider = pulls.provider and c.status = 'connected';
  return null;
end $$;
create trigger pulls_follow_deletion after update of deleted_at on users
  for each row when ((old.deleted_at is null) <> (new.deleted_at is null)) execute function pulls_follow_users();

update polls set due_at = 'infinity' from users where users.id = polls.user_id and users.deleted_at is not null;
update pulls set due_at = 'infinity' from users
 where users.id = pulls.user_id and users.deleted_at is not null and pulls.ended_at is null;
