-- How often the endpoint's url changed. What was sent before it did says nothing of how the endpoint fares where it is.
alter table lanes add moves integer not null default 0;
