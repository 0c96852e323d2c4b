-- Counts and lists of overdue orders read the open orders of one status whose newest event is older than a time. The
-- index has every column that the count needs, so that the count does not read the orders themselves.
create index orders_open_by_age on orders (team_id, last_low_level_status, last_event_at)
  include (user_id, id, method, activate_by, lab_test_id)
  where last_low_level_status in ('ordered', 'awaiting_registration', 'testkit_registered', 'requisition_created',
    'requisition_bypassed', 'transit_customer', 'out_for_delivery', 'with_customer', 'transit_lab',
    'problem_in_transit_customer', 'problem_in_transit_lab', 'delivered_to_lab', 'lab_processing_blocked',
    'appointment_pending', 'appointment_scheduled', 'appointment_cancelled', 'redraw_available', 'draw_completed',
    'partial_results');
