-- The notes of all orders of a team are listed by their ids, and those of some orders by the orders.
create index order_notes_by_team on order_notes (team_id, id);
create index order_notes_by_order on order_notes (team_id, order_id);
