-- What an answer shows of an order's sealed values, as one: {"patient_details": …, "notes": …}, without those that are null.
-- Orders of before have these values in columns of their own until they are changed, or rotate-keys puts them together.
alter table orders add column personal bytea;
