-- Keyed hashes by which users are found: e-mail, phone number, date of birth, and words of the name.
create table user_search_hashes (
  team_id uuid not null,
  kind text not null check (kind in ('email', 'phone_number', 'birth_date', 'name_word')),
  hash bytea not null check (length(hash) = 32),
  user_id uuid not null references users (id) on delete cascade,
  primary key (team_id, kind, hash, user_id)
);
create index user_search_hashes_of_user on user_search_hashes (user_id);
select create_team_policies('user_search_hashes');

-- The hashes of the users who are here already are not stored yet. A job makes them. The service has the key, this
-- migration does not.
alter table users add column lacks_search_hashes boolean not null default true;
alter table users alter column lacks_search_hashes set default false;
create index users_without_search_hashes on users (id) where lacks_search_hashes;
