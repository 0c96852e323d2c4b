-- How each resource of a connection was pulled last, by polls and where news was told: {"heartrate": {"at": …, "succeeded": true}}.
-- A poll as a whole fails with any of them.
alter table polls add column by_resource jsonb not null default '{}';
