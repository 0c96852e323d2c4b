-- How often a person asked for the delivery since it entered the retries; null where only the schedule did. A delivery under way
-- carries what it was read with: what was asked for meanwhile is made behind it.
alter table retries add asked smallint;
