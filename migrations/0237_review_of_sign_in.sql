-- Whether a mail is a link to sign in. Anybody may ask for one, so these mails have a daily limit of their own.
alter table mails add column is_sign_in boolean not null default false;
