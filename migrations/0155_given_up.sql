-- given_up: refused, or called off by the laboratory, and its tests have failed: nobody has to see to it any more.
alter table laboratory_outbox drop constraint laboratory_outbox_state_check;
alter table laboratory_outbox
  add constraint laboratory_outbox_state_check
    check (state in ('waiting', 'held', 'committed', 'accepted', 'refused', 'withdrawn', 'given_up')),
  -- Who keeps it from being sent, while it is held; what the operator holds only the operator releases.
  add column held_by text check (held_by in ('operator', 'organisation'));
update laboratory_outbox set held_by = 'operator' where state = 'held';
update laboratory_outbox set state = 'given_up' where state = 'refused' and last_error = 'oc';
create index laboratory_outbox_committed on laboratory_outbox (lab_id, answered_at) where state = 'committed';
