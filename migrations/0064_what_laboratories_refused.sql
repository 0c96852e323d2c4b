-- Counted at every look at the metrics.
create index laboratory_outbox_refused on laboratory_outbox (lab_id) where state = 'refused';
create index hl7_messages_failed on hl7_messages (lab_id) where state = 'failed';
