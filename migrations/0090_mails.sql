-- The outbox of mail. Whoever writes a mail does so in the transaction of what it tells of; src/mail/send-mails.ts sends it where
-- the deployment has a mail server. Without one it waits until it expires.
create table mails (
  id uuid primary key,
  org_id uuid not null references orgs on delete cascade,
  -- The record that it tells of: with that it goes.
  about uuid not null,
  -- Sealed: to whom, subject and text. Null once it was sent or given up.
  content bytea,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  -- From here on it tells nothing any more, as when its link has ended.
  expires_at timestamptz not null,
  sent_at timestamptz
);
create index mails_by_org on mails (org_id, created_at);
create index mails_waiting on mails (org_id, next_attempt_at) where content is not null;
create index mails_about on mails (about);

select wall('mails', 'org_id = {org}');
