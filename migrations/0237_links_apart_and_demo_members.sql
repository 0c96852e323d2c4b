-- Whether a mail is a link to sign in. Anybody may ask for one, so these mails have a daily limit of their own.
alter table mails add column is_sign_in boolean not null default false;

-- Whether the load makes members of the organisation. Only somebody who manages the whole organisation may add them.
alter table demo_clinics add column adds_members boolean not null default false;
