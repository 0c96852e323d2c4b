-- What was read as it stood, or left out, of a message that was applied: codes for the operator, never text of the message.
alter table hl7_messages add column warnings text[] not null default '{}'
  constraint hl7_messages_warnings_are_few check (cardinality(warnings) <= 20);
