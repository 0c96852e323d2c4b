-- The notes of all orders of a team are listed by their ids.
create index order_notes_by_team on order_notes (team_id, id);
