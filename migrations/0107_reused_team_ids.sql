-- A living team that was given the id of a deleted one is not told of as deleted, and can be.
delete from team_deletions where id in (select id from teams where deleted_at is null);
