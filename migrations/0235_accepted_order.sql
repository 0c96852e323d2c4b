-- The order for which a report was accepted, so that a person who reads the decision finds it.
alter table unmatched_results add column order_id uuid;
