-- Finds the order that repeats another one. Few orders do, so the index is small.
create index orders_by_parent on orders (team_id, parent_id) where parent_id is not null;
