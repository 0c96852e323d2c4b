-- What of a message could not be read, and so waits while the rest is applied: segments, reasons and the laboratory's codes of
-- them, never text of the message. Null where nothing waits.
alter table hl7_messages add column waits jsonb
  constraint hl7_messages_waits_are_few check (jsonb_array_length(waits) <= 1000);
-- The rest of it was applied: it is finished when the operator says that the part is worth nothing.
alter table hl7_messages add column partly_applied boolean not null default false;

-- An order says whether something that the laboratory sent for it waits.
create index hl7_messages_failed_of_order on hl7_messages (order_id) where state = 'failed' and order_id is not null;
-- Results of users who were scheduled for deletion are looked for every minute, and applied after an undo.
create index hl7_messages_of_leaving_users on hl7_messages (user_id) where state = 'failed' and reason = 'user_scheduled_for_deletion';
