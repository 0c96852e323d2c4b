-- A code that was changed is known until it ends: a second try is then somebody's in the audit log. A token names its code.
alter table link_codes add used_at timestamptz;
alter table user_tokens add link_code_id uuid;
-- A link token ends with the key that made it. Of those that are there already nobody knows the key; each is good for an hour.
alter table link_tokens add made_by uuid;
