-- An example that was sent to try a receiver: of nobody, for that receiver alone, and no news of the team.
alter table events add test_for uuid;
