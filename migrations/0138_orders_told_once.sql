-- committed: the laboratory keeps the message and has not said yet what it makes of it (enhanced mode); withdrawn: it was never
-- told, since the order was no longer wanted; held: by the operator.
alter table laboratory_outbox drop constraint laboratory_outbox_state_check;
alter table laboratory_outbox
  add constraint laboratory_outbox_state_check
    check (state in ('waiting', 'held', 'committed', 'accepted', 'refused', 'withdrawn')),
  -- Before the first byte of a message: from then on the laboratory may know of the order.
  add column sent_at timestamptz,
  -- Tries in a row that reached the laboratory and got no answer.
  add column unanswered integer not null default 0,
  -- It waits behind those that came after it, and holds up none.
  add column set_aside boolean not null default false,
  -- Its place among those that wait.
  add column queued_at timestamptz not null default now(),
  -- Which tests of the order the message is of, counted from 1; null: all of them.
  add column tests integer[];
update laboratory_outbox set queued_at = created_at, set_aside = state = 'waiting' and coalesce(last_error = 'internal_error', false),
       sent_at = case when state <> 'waiting' or exists (
         select from hl7_outgoing where hl7_outgoing.user_id = laboratory_outbox.user_id and hl7_outgoing.id = laboratory_outbox.id
       ) then created_at end;
drop index laboratory_outbox_waiting;
create index laboratory_outbox_waiting on laboratory_outbox (lab_id, queued_at, id) where state = 'waiting';

alter table laboratory_senders
  -- Tries in a row, of whatever order, that got no answer, and when the last answer came.
  add column silent_tries integer not null default 0,
  add column answered_at timestamptz,
  -- Since when the operator holds everything that goes to this laboratory.
  add column held_at timestamptz;

-- How many messages were written of an order: each has a control id of its own.
alter table order_numbers add column messages integer not null default 0;
update order_numbers set messages = 2;
