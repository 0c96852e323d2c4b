-- What an attempt sent beside the body, as it was then. Of a signature nothing can be forged but the very message that it
-- signs. The endpoint's own headers are kept once for all attempts that sent them, without the values of those that open
-- something.
create table webhook_header_sets (
  team_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  -- Null where they were set before they were kept.
  headers bytea,
  -- When others took their place, or the endpoint was deleted: attempts outlive both.
  replaced_at timestamptz,
  primary key (team_id, id)
);
create index webhook_header_sets_of_webhook on webhook_header_sets (webhook_id, id);
select wall_by_team('webhook_header_sets');

alter table webhooks add headers_id uuid;
insert into webhook_header_sets (team_id, id, webhook_id) select team_id, id, id from webhooks where headers is not null;
update webhooks set headers_id = id where headers is not null;

alter table attempts
  -- Null where nothing was to be sent: its address is forbidden, or its event cannot be opened.
  add sent_at timestamptz(3),
  add signature text,
  add user_agent text,
  -- Null where the endpoint had none.
  add headers_id uuid;

-- Attempts of an endpoint are listed along their ids. What failed is rare, and found without going through all others.
create index attempts_failed_by_webhook on attempts (webhook_id, outcome, id) where outcome <> 'succeeded';
