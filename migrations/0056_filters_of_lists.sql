-- What lists of orders are filtered by and few orders have: partial, so that orders of kits, which are most, cost no more.
create index orders_by_other_method on orders (team_id, method, id) where method <> 'testkit';
create index orders_by_activation on orders (team_id, activate_by, id) where activate_by is not null;
