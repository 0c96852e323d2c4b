-- What a pull of the past left out, whole or in part, since nobody can have measured it: how many records, by series and kind of
-- summary. Polls keep the same of their last look at each resource in `by_resource`.
alter table pulls add column skipped jsonb not null default '{}';
