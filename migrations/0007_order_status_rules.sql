-- Which status of an order may follow which: the database's own copy of src/labs/orders/status/rules.ts.
-- A kit's way to its user (leg) and its registration decide together with the last status. The empty text
-- stands for the time before the first event, and for a kit that was not sent yet.
create table order_status_rules (
  from_status text not null,
  from_leg text not null,
  from_registration text not null,
  to_status text not null,
  to_leg text not null,
  to_registration text not null,
  primary key (from_status, from_leg, from_registration, to_status)
);
revoke all on order_status_rules from phial_app;
grant select on order_status_rules to phial_app;

-- The rows are generated: `npx vitest run -u src/labs/orders/status/rules-drift.test.ts` writes them again.
-- rows begin
insert into order_status_rules values
  ('', '', '', 'received.testkit.ordered', '', 'open'),
  ('received.testkit.ordered', '', 'open', 'received.testkit.awaiting_registration', '', 'awaiting'),
  ('received.testkit.ordered', '', 'open', 'received.testkit.requisition_created', '', 'done'),
  ('received.testkit.ordered', '', 'open', 'received.testkit.requisition_bypassed', '', 'done'),
  ('received.testkit.ordered', '', 'open', 'cancelled.testkit.cancelled', '', 'open'),
  ('received.testkit.ordered', '', 'open', 'cancelled.testkit.do_not_process', '', 'open'),
  ('received.testkit.awaiting_registration', '', 'awaiting', 'received.testkit.requisition_created', '', 'awaiting'),
  ('received.testkit.awaiting_registration', '', 'awaiting', 'received.testkit.requisition_bypassed', '', 'awaiting'),
  ('received.testkit.awaiting_registration', '', 'awaiting', 'collecting_sample.testkit.transit_customer', 'transit_customer', 'awaiting'),
  ('received.testkit.awaiting_registration', '', 'awaiting', 'cancelled.testkit.cancelled', '', 'awaiting'),
  ('received.testkit.awaiting_registration', '', 'awaiting', 'cancelled.testkit.do_not_process', '', 'awaiting'),
  ('received.testkit.requisition_created', '', 'done', 'collecting_sample.testkit.transit_customer', 'transit_customer', 'done'),
  ('received.testkit.requisition_created', '', 'done', 'cancelled.testkit.cancelled', '', 'done'),
  ('received.testkit.requisition_created', '', 'done', 'cancelled.testkit.do_not_process', '', 'done'),
  ('received.testkit.requisition_bypassed', '', 'done', 'collecting_sample.testkit.transit_customer', 'transit_customer', 'done'),
  ('received.testkit.requisition_bypassed', '', 'done', 'cancelled.testkit.cancelled', '', 'done'),
  ('received.testkit.requisition_bypassed', '', 'done', 'cancelled.testkit.do_not_process', '', 'done'),
  ('received.testkit.requisition_created', '', 'awaiting', 'received.testkit.testkit_registered', '', 'done'),
  ('received.testkit.requisition_created', '', 'awaiting', 'cancelled.testkit.cancelled', '', 'awaiting'),
  ('received.testkit.requisition_created', '', 'awaiting', 'cancelled.testkit.do_not_process', '', 'awaiting'),
  ('received.testkit.requisition_bypassed', '', 'awaiting', 'received.testkit.testkit_registered', '', 'done'),
  ('received.testkit.requisition_bypassed', '', 'awaiting', 'cancelled.testkit.cancelled', '', 'awaiting'),
  ('received.testkit.requisition_bypassed', '', 'awaiting', 'cancelled.testkit.do_not_process', '', 'awaiting'),
  ('collecting_sample.testkit.transit_customer', 'transit_customer', 'awaiting', 'received.testkit.requisition_created', 'transit_customer', 'awaiting'),
  ('collecting_sample.testkit.transit_customer', 'transit_customer', 'awaiting', 'received.testkit.requisition_bypassed', 'transit_customer', 'awaiting'),
  ('collecting_sample.testkit.transit_customer', 'transit_customer', 'awaiting', 'collecting_sample.testkit.out_for_delivery', 'out_for_delivery', 'awaiting'),
  ('collecting_sample.testkit.transit_customer', 'transit_customer', 'awaiting', 'collecting_sample.testkit.problem_in_transit_customer', 'problem_in_transit_customer', 'awaiting'),
  ('collecting_sample.testkit.transit_customer', 'transit_customer', 'awaiting', 'failed.testkit.lost', 'transit_customer', 'awaiting'),
  ('collecting_sample.testkit.transit_customer', 'transit_customer', 'done', 'collecting_sample.testkit.out_for_delivery', 'out_for_delivery', 'done'),
  ('collecting_sample.testkit.transit_customer', 'transit_customer', 'done', 'collecting_sample.testkit.problem_in_transit_customer', 'problem_in_transit_customer', 'done'),
  ('collecting_sample.testkit.transit_customer', 'transit_customer', 'done', 'failed.testkit.lost', 'transit_customer', 'done'),
  ('received.testkit.testkit_registered', '', 'done', 'collecting_sample.testkit.transit_customer', 'transit_customer', 'done'),
  ('received.testkit.testkit_registered', '', 'done', 'collecting_sample.testkit.transit_lab', '', 'done'),
  ('received.testkit.testkit_registered', '', 'done', 'cancelled.testkit.cancelled', '', 'done'),
  ('received.testkit.testkit_registered', '', 'done', 'cancelled.testkit.do_not_process', '', 'done'),
  ('received.testkit.requisition_created', 'transit_customer', 'awaiting', 'received.testkit.testkit_registered', 'transit_customer', 'done'),
  ('received.testkit.requisition_created', 'transit_customer', 'awaiting', 'cancelled.testkit.do_not_process', 'transit_customer', 'awaiting'),
  ('received.testkit.requisition_bypassed', 'transit_customer', 'awaiting', 'received.testkit.testkit_registered', 'transit_customer', 'done'),
  ('received.testkit.requisition_bypassed', 'transit_customer', 'awaiting', 'cancelled.testkit.do_not_process', 'transit_customer', 'awaiting'),
  ('collecting_sample.testkit.out_for_delivery', 'out_for_delivery', 'awaiting', 'received.testkit.requisition_created', 'out_for_delivery', 'awaiting'),
  ('collecting_sample.testkit.out_for_delivery', 'out_for_delivery', 'awaiting', 'received.testkit.requisition_bypassed', 'out_for_delivery', 'awaiting'),
  ('collecting_sample.testkit.out_for_delivery', 'out_for_delivery', 'awaiting', 'collecting_sample.testkit.with_customer', 'with_customer', 'awaiting'),
  ('collecting_sample.testkit.out_for_delivery', 'out_for_delivery', 'awaiting', 'collecting_sample.testkit.problem_in_transit_customer', 'problem_in_transit_customer', 'awaiting'),
  ('collecting_sample.testkit.out_for_delivery', 'out_for_delivery', 'awaiting', 'failed.testkit.lost', 'out_for_delivery', 'awaiting'),
  ('collecting_sample.testkit.problem_in_transit_customer', 'problem_in_transit_customer', 'awaiting', 'received.testkit.requisition_created', 'problem_in_transit_customer', 'awaiting'),
  ('collecting_sample.testkit.problem_in_transit_customer', 'problem_in_transit_customer', 'awaiting', 'received.testkit.requisition_bypassed', 'problem_in_transit_customer', 'awaiting'),
  ('collecting_sample.testkit.problem_in_transit_customer', 'problem_in_transit_customer', 'awaiting', 'collecting_sample.testkit.transit_customer', 'transit_customer', 'awaiting'),
  ('collecting_sample.testkit.problem_in_transit_customer', 'problem_in_transit_customer', 'awaiting', 'failed.testkit.failure_to_deliver_to_customer', 'problem_in_transit_customer', 'awaiting'),
  ('collecting_sample.testkit.problem_in_transit_customer', 'problem_in_transit_customer', 'awaiting', 'failed.testkit.lost', 'problem_in_transit_customer', 'awaiting'),
  ('collecting_sample.testkit.out_for_delivery', 'out_for_delivery', 'done', 'collecting_sample.testkit.with_customer', 'with_customer', 'done'),
  ('collecting_sample.testkit.out_for_delivery', 'out_for_delivery', 'done', 'collecting_sample.testkit.problem_in_transit_customer', 'problem_in_transit_customer', 'done'),
  ('collecting_sample.testkit.out_for_delivery', 'out_for_delivery', 'done', 'failed.testkit.lost', 'out_for_delivery', 'done'),
  ('collecting_sample.testkit.problem_in_transit_customer', 'problem_in_transit_customer', 'done', 'collecting_sample.testkit.transit_customer', 'transit_customer', 'done'),
  ('collecting_sample.testkit.problem_in_transit_customer', 'problem_in_transit_customer', 'done', 'failed.testkit.failure_to_deliver_to_customer', 'problem_in_transit_customer', 'done'),
  ('collecting_sample.testkit.problem_in_transit_customer', 'problem_in_transit_customer', 'done', 'failed.testkit.lost', 'problem_in_transit_customer', 'done'),
  ('collecting_sample.testkit.transit_lab', '', 'done', 'sample_with_lab.testkit.delivered_to_lab', '', 'done'),
  ('collecting_sample.testkit.transit_lab', '', 'done', 'collecting_sample.testkit.problem_in_transit_lab', '', 'done'),
  ('collecting_sample.testkit.transit_lab', '', 'done', 'failed.testkit.lost', '', 'done'),
  ('received.testkit.testkit_registered', 'transit_customer', 'done', 'collecting_sample.testkit.out_for_delivery', 'out_for_delivery', 'done'),
  ('received.testkit.testkit_registered', 'transit_customer', 'done', 'collecting_sample.testkit.problem_in_transit_customer', 'problem_in_transit_customer', 'done'),
  ('received.testkit.testkit_registered', 'transit_customer', 'done', 'failed.testkit.lost', 'transit_customer', 'done'),
  ('received.testkit.testkit_registered', 'transit_customer', 'done', 'cancelled.testkit.do_not_process', 'transit_customer', 'done'),
  ('received.testkit.requisition_created', 'out_for_delivery', 'awaiting', 'received.testkit.testkit_registered', 'out_for_delivery', 'done'),
  ('received.testkit.requisition_created', 'out_for_delivery', 'awaiting', 'cancelled.testkit.do_not_process', 'out_for_delivery', 'awaiting'),
  ('received.testkit.requisition_bypassed', 'out_for_delivery', 'awaiting', 'received.testkit.testkit_registered', 'out_for_delivery', 'done'),
  ('received.testkit.requisition_bypassed', 'out_for_delivery', 'awaiting', 'cancelled.testkit.do_not_process', 'out_for_delivery', 'awaiting'),
  ('collecting_sample.testkit.with_customer', 'with_customer', 'awaiting', 'received.testkit.requisition_created', 'with_customer', 'awaiting'),
  ('collecting_sample.testkit.with_customer', 'with_customer', 'awaiting', 'received.testkit.requisition_bypassed', 'with_customer', 'awaiting'),
  ('received.testkit.requisition_created', 'problem_in_transit_customer', 'awaiting', 'received.testkit.testkit_registered', 'problem_in_transit_customer', 'done'),
  ('received.testkit.requisition_created', 'problem_in_transit_customer', 'awaiting', 'cancelled.testkit.do_not_process', 'problem_in_transit_customer', 'awaiting'),
  ('received.testkit.requisition_bypassed', 'problem_in_transit_customer', 'awaiting', 'received.testkit.testkit_registered', 'problem_in_transit_customer', 'done'),
  ('received.testkit.requisition_bypassed', 'problem_in_transit_customer', 'awaiting', 'cancelled.testkit.do_not_process', 'problem_in_transit_customer', 'awaiting'),
  ('collecting_sample.testkit.with_customer', 'with_customer', 'done', 'collecting_sample.testkit.transit_lab', 'with_customer', 'done'),
  ('sample_with_lab.testkit.delivered_to_lab', '', 'done', 'completed.testkit.completed', '', 'done'),
  ('sample_with_lab.testkit.delivered_to_lab', '', 'done', 'sample_with_lab.testkit.lab_processing_blocked', '', 'done'),
  ('sample_with_lab.testkit.delivered_to_lab', '', 'done', 'failed.testkit.sample_error', '', 'done'),
  ('collecting_sample.testkit.problem_in_transit_lab', '', 'done', 'collecting_sample.testkit.transit_lab', '', 'done'),
  ('collecting_sample.testkit.problem_in_transit_lab', '', 'done', 'failed.testkit.failure_to_deliver_to_lab', '', 'done'),
  ('collecting_sample.testkit.problem_in_transit_lab', '', 'done', 'failed.testkit.lost', '', 'done'),
  ('received.testkit.testkit_registered', 'out_for_delivery', 'done', 'collecting_sample.testkit.with_customer', 'with_customer', 'done'),
  ('received.testkit.testkit_registered', 'out_for_delivery', 'done', 'collecting_sample.testkit.problem_in_transit_customer', 'problem_in_transit_customer', 'done'),
  ('received.testkit.testkit_registered', 'out_for_delivery', 'done', 'failed.testkit.lost', 'out_for_delivery', 'done'),
  ('received.testkit.testkit_registered', 'out_for_delivery', 'done', 'cancelled.testkit.do_not_process', 'out_for_delivery', 'done'),
  ('received.testkit.requisition_created', 'with_customer', 'awaiting', 'received.testkit.testkit_registered', 'with_customer', 'done'),
  ('received.testkit.requisition_created', 'with_customer', 'awaiting', 'cancelled.testkit.do_not_process', 'with_customer', 'awaiting'),
  ('received.testkit.requisition_bypassed', 'with_customer', 'awaiting', 'received.testkit.testkit_registered', 'with_customer', 'done'),
  ('received.testkit.requisition_bypassed', 'with_customer', 'awaiting', 'cancelled.testkit.do_not_process', 'with_customer', 'awaiting'),
  ('received.testkit.testkit_registered', 'problem_in_transit_customer', 'done', 'collecting_sample.testkit.transit_customer', 'transit_customer', 'done'),
  ('received.testkit.testkit_registered', 'problem_in_transit_customer', 'done', 'failed.testkit.failure_to_deliver_to_customer', 'problem_in_transit_customer', 'done'),
  ('received.testkit.testkit_registered', 'problem_in_transit_customer', 'done', 'failed.testkit.lost', 'problem_in_transit_customer', 'done'),
  ('received.testkit.testkit_registered', 'problem_in_transit_customer', 'done', 'cancelled.testkit.do_not_process', 'problem_in_transit_customer', 'done'),
  ('collecting_sample.testkit.transit_lab', 'with_customer', 'done', 'sample_with_lab.testkit.delivered_to_lab', 'with_customer', 'done'),
  ('collecting_sample.testkit.transit_lab', 'with_customer', 'done', 'collecting_sample.testkit.problem_in_transit_lab', 'with_customer', 'done'),
  ('collecting_sample.testkit.transit_lab', 'with_customer', 'done', 'failed.testkit.lost', 'with_customer', 'done'),
  ('completed.testkit.completed', '', 'done', 'completed.testkit.corrected', '', 'done'),
  ('sample_with_lab.testkit.lab_processing_blocked', '', 'done', 'sample_with_lab.testkit.delivered_to_lab', '', 'done'),
  ('sample_with_lab.testkit.lab_processing_blocked', '', 'done', 'completed.testkit.completed', '', 'done'),
  ('sample_with_lab.testkit.lab_processing_blocked', '', 'done', 'failed.testkit.sample_error', '', 'done'),
  ('received.testkit.testkit_registered', 'with_customer', 'done', 'collecting_sample.testkit.transit_lab', 'with_customer', 'done'),
  ('received.testkit.testkit_registered', 'with_customer', 'done', 'cancelled.testkit.do_not_process', 'with_customer', 'done'),
  ('sample_with_lab.testkit.delivered_to_lab', 'with_customer', 'done', 'completed.testkit.completed', 'with_customer', 'done'),
  ('sample_with_lab.testkit.delivered_to_lab', 'with_customer', 'done', 'sample_with_lab.testkit.lab_processing_blocked', 'with_customer', 'done'),
  ('sample_with_lab.testkit.delivered_to_lab', 'with_customer', 'done', 'failed.testkit.sample_error', 'with_customer', 'done'),
  ('collecting_sample.testkit.problem_in_transit_lab', 'with_customer', 'done', 'collecting_sample.testkit.transit_lab', 'with_customer', 'done'),
  ('collecting_sample.testkit.problem_in_transit_lab', 'with_customer', 'done', 'failed.testkit.failure_to_deliver_to_lab', 'with_customer', 'done'),
  ('collecting_sample.testkit.problem_in_transit_lab', 'with_customer', 'done', 'failed.testkit.lost', 'with_customer', 'done'),
  ('completed.testkit.corrected', '', 'done', 'completed.testkit.corrected', '', 'done'),
  ('completed.testkit.completed', 'with_customer', 'done', 'completed.testkit.corrected', 'with_customer', 'done'),
  ('sample_with_lab.testkit.lab_processing_blocked', 'with_customer', 'done', 'sample_with_lab.testkit.delivered_to_lab', 'with_customer', 'done'),
  ('sample_with_lab.testkit.lab_processing_blocked', 'with_customer', 'done', 'completed.testkit.completed', 'with_customer', 'done'),
  ('sample_with_lab.testkit.lab_processing_blocked', 'with_customer', 'done', 'failed.testkit.sample_error', 'with_customer', 'done'),
  ('completed.testkit.corrected', 'with_customer', 'done', 'completed.testkit.corrected', 'with_customer', 'done'),
  ('', '', '', 'received.walk_in_test.ordered', '', 'done'),
  ('received.walk_in_test.ordered', '', 'done', 'received.walk_in_test.requisition_created', '', 'done'),
  ('received.walk_in_test.ordered', '', 'done', 'received.walk_in_test.requisition_bypassed', '', 'done'),
  ('received.walk_in_test.ordered', '', 'done', 'cancelled.walk_in_test.cancelled', '', 'done'),
  ('received.walk_in_test.requisition_created', '', 'done', 'collecting_sample.walk_in_test.appointment_pending', '', 'done'),
  ('received.walk_in_test.requisition_created', '', 'done', 'sample_with_lab.walk_in_test.partial_results', '', 'done'),
  ('received.walk_in_test.requisition_created', '', 'done', 'completed.walk_in_test.completed', '', 'done'),
  ('received.walk_in_test.requisition_created', '', 'done', 'collecting_sample.walk_in_test.redraw_available', '', 'done'),
  ('received.walk_in_test.requisition_created', '', 'done', 'failed.walk_in_test.sample_error', '', 'done'),
  ('received.walk_in_test.requisition_created', '', 'done', 'cancelled.walk_in_test.cancelled', '', 'done'),
  ('received.walk_in_test.requisition_bypassed', '', 'done', 'collecting_sample.walk_in_test.appointment_pending', '', 'done'),
  ('received.walk_in_test.requisition_bypassed', '', 'done', 'sample_with_lab.walk_in_test.partial_results', '', 'done'),
  ('received.walk_in_test.requisition_bypassed', '', 'done', 'completed.walk_in_test.completed', '', 'done'),
  ('received.walk_in_test.requisition_bypassed', '', 'done', 'collecting_sample.walk_in_test.redraw_available', '', 'done'),
  ('received.walk_in_test.requisition_bypassed', '', 'done', 'failed.walk_in_test.sample_error', '', 'done'),
  ('received.walk_in_test.requisition_bypassed', '', 'done', 'cancelled.walk_in_test.cancelled', '', 'done'),
  ('collecting_sample.walk_in_test.appointment_pending', '', 'done', 'collecting_sample.walk_in_test.appointment_scheduled', '', 'done'),
  ('collecting_sample.walk_in_test.appointment_pending', '', 'done', 'collecting_sample.walk_in_test.appointment_cancelled', '', 'done'),
  ('collecting_sample.walk_in_test.appointment_pending', '', 'done', 'collecting_sample.walk_in_test.redraw_available', '', 'done'),
  ('collecting_sample.walk_in_test.appointment_pending', '', 'done', 'cancelled.walk_in_test.cancelled', '', 'done'),
  ('sample_with_lab.walk_in_test.partial_results', '', 'done', 'sample_with_lab.walk_in_test.partial_results', '', 'done'),
  ('sample_with_lab.walk_in_test.partial_results', '', 'done', 'completed.walk_in_test.completed', '', 'done'),
  ('sample_with_lab.walk_in_test.partial_results', '', 'done', 'collecting_sample.walk_in_test.redraw_available', '', 'done'),
  ('sample_with_lab.walk_in_test.partial_results', '', 'done', 'failed.walk_in_test.sample_error', '', 'done'),
  ('completed.walk_in_test.completed', '', 'done', 'completed.walk_in_test.corrected', '', 'done'),
  ('collecting_sample.walk_in_test.redraw_available', '', 'done', 'sample_with_lab.walk_in_test.partial_results', '', 'done'),
  ('collecting_sample.walk_in_test.redraw_available', '', 'done', 'completed.walk_in_test.completed', '', 'done'),
  ('collecting_sample.walk_in_test.redraw_available', '', 'done', 'failed.walk_in_test.sample_error', '', 'done'),
  ('collecting_sample.walk_in_test.redraw_available', '', 'done', 'cancelled.walk_in_test.cancelled', '', 'done'),
  ('collecting_sample.walk_in_test.appointment_scheduled', '', 'done', 'collecting_sample.walk_in_test.appointment_pending', '', 'done'),
  ('collecting_sample.walk_in_test.appointment_scheduled', '', 'done', 'collecting_sample.walk_in_test.appointment_cancelled', '', 'done'),
  ('collecting_sample.walk_in_test.appointment_scheduled', '', 'done', 'sample_with_lab.walk_in_test.partial_results', '', 'done'),
  ('collecting_sample.walk_in_test.appointment_scheduled', '', 'done', 'completed.walk_in_test.completed', '', 'done'),
  ('collecting_sample.walk_in_test.appointment_scheduled', '', 'done', 'collecting_sample.walk_in_test.redraw_available', '', 'done'),
  ('collecting_sample.walk_in_test.appointment_scheduled', '', 'done', 'failed.walk_in_test.sample_error', '', 'done'),
  ('collecting_sample.walk_in_test.appointment_scheduled', '', 'done', 'cancelled.walk_in_test.cancelled', '', 'done'),
  ('collecting_sample.walk_in_test.appointment_cancelled', '', 'done', 'collecting_sample.walk_in_test.appointment_pending', '', 'done'),
  ('collecting_sample.walk_in_test.appointment_cancelled', '', 'done', 'collecting_sample.walk_in_test.appointment_scheduled', '', 'done'),
  ('collecting_sample.walk_in_test.appointment_cancelled', '', 'done', 'collecting_sample.walk_in_test.redraw_available', '', 'done'),
  ('collecting_sample.walk_in_test.appointment_cancelled', '', 'done', 'cancelled.walk_in_test.cancelled', '', 'done'),
  ('completed.walk_in_test.corrected', '', 'done', 'completed.walk_in_test.corrected', '', 'done'),
  ('', '', '', 'received.at_home_phlebotomy.ordered', '', 'done'),
  ('received.at_home_phlebotomy.ordered', '', 'done', 'received.at_home_phlebotomy.requisition_created', '', 'done'),
  ('received.at_home_phlebotomy.ordered', '', 'done', 'received.at_home_phlebotomy.requisition_bypassed', '', 'done'),
  ('received.at_home_phlebotomy.ordered', '', 'done', 'cancelled.at_home_phlebotomy.cancelled', '', 'done'),
  ('received.at_home_phlebotomy.requisition_created', '', 'done', 'collecting_sample.at_home_phlebotomy.appointment_pending', '', 'done'),
  ('received.at_home_phlebotomy.requisition_created', '', 'done', 'cancelled.at_home_phlebotomy.cancelled', '', 'done'),
  ('received.at_home_phlebotomy.requisition_bypassed', '', 'done', 'collecting_sample.at_home_phlebotomy.appointment_pending', '', 'done'),
  ('received.at_home_phlebotomy.requisition_bypassed', '', 'done', 'cancelled.at_home_phlebotomy.cancelled', '', 'done'),
  ('collecting_sample.at_home_phlebotomy.appointment_pending', '', 'done', 'collecting_sample.at_home_phlebotomy.appointment_scheduled', '', 'done'),
  ('collecting_sample.at_home_phlebotomy.appointment_pending', '', 'done', 'collecting_sample.at_home_phlebotomy.appointment_cancelled', '', 'done'),
  ('collecting_sample.at_home_phlebotomy.appointment_pending', '', 'done', 'cancelled.at_home_phlebotomy.cancelled', '', 'done'),
  ('collecting_sample.at_home_phlebotomy.appointment_scheduled', '', 'done', 'collecting_sample.at_home_phlebotomy.appointment_scheduled', '', 'done'),
  ('collecting_sample.at_home_phlebotomy.appointment_scheduled', '', 'done', 'collecting_sample.at_home_phlebotomy.appointment_cancelled', '', 'done'),
  ('collecting_sample.at_home_phlebotomy.appointment_scheduled', '', 'done', 'collecting_sample.at_home_phlebotomy.draw_completed', '', 'done'),
  ('collecting_sample.at_home_phlebotomy.appointment_scheduled', '', 'done', 'cancelled.at_home_phlebotomy.cancelled', '', 'done'),
  ('collecting_sample.at_home_phlebotomy.appointment_cancelled', '', 'done', 'collecting_sample.at_home_phlebotomy.appointment_pending', '', 'done'),
  ('collecting_sample.at_home_phlebotomy.appointment_cancelled', '', 'done', 'collecting_sample.at_home_phlebotomy.appointment_scheduled', '', 'done'),
  ('collecting_sample.at_home_phlebotomy.appointment_cancelled', '', 'done', 'cancelled.at_home_phlebotomy.cancelled', '', 'done'),
  ('collecting_sample.at_home_phlebotomy.draw_completed', '', 'done', 'sample_with_lab.at_home_phlebotomy.partial_results', '', 'done'),
  ('collecting_sample.at_home_phlebotomy.draw_completed', '', 'done', 'completed.at_home_phlebotomy.completed', '', 'done'),
  ('collecting_sample.at_home_phlebotomy.draw_completed', '', 'done', 'failed.at_home_phlebotomy.sample_error', '', 'done'),
  ('collecting_sample.at_home_phlebotomy.draw_completed', '', 'done', 'cancelled.at_home_phlebotomy.cancelled', '', 'done'),
  ('sample_with_lab.at_home_phlebotomy.partial_results', '', 'done', 'sample_with_lab.at_home_phlebotomy.partial_results', '', 'done'),
  ('sample_with_lab.at_home_phlebotomy.partial_results', '', 'done', 'completed.at_home_phlebotomy.completed', '', 'done'),
  ('sample_with_lab.at_home_phlebotomy.partial_results', '', 'done', 'failed.at_home_phlebotomy.sample_error', '', 'done'),
  ('completed.at_home_phlebotomy.completed', '', 'done', 'completed.at_home_phlebotomy.corrected', '', 'done'),
  ('completed.at_home_phlebotomy.corrected', '', 'done', 'completed.at_home_phlebotomy.corrected', '', 'done'),
  ('', '', '', 'received.on_site_collection.ordered', '', 'done'),
  ('received.on_site_collection.ordered', '', 'done', 'received.on_site_collection.requisition_created', '', 'done'),
  ('received.on_site_collection.ordered', '', 'done', 'received.on_site_collection.requisition_bypassed', '', 'done'),
  ('received.on_site_collection.ordered', '', 'done', 'cancelled.on_site_collection.cancelled', '', 'done'),
  ('received.on_site_collection.requisition_created', '', 'done', 'sample_with_lab.on_site_collection.draw_completed', '', 'done'),
  ('received.on_site_collection.requisition_created', '', 'done', 'cancelled.on_site_collection.cancelled', '', 'done'),
  ('received.on_site_collection.requisition_bypassed', '', 'done', 'sample_with_lab.on_site_collection.draw_completed', '', 'done'),
  ('received.on_site_collection.requisition_bypassed', '', 'done', 'cancelled.on_site_collection.cancelled', '', 'done'),
  ('sample_with_lab.on_site_collection.draw_completed', '', 'done', 'sample_with_lab.on_site_collection.partial_results', '', 'done'),
  ('sample_with_lab.on_site_collection.draw_completed', '', 'done', 'completed.on_site_collection.completed', '', 'done'),
  ('sample_with_lab.on_site_collection.draw_completed', '', 'done', 'failed.on_site_collection.sample_error', '', 'done'),
  ('sample_with_lab.on_site_collection.draw_completed', '', 'done', 'cancelled.on_site_collection.cancelled', '', 'done'),
  ('sample_with_lab.on_site_collection.partial_results', '', 'done', 'sample_with_lab.on_site_collection.partial_results', '', 'done'),
  ('sample_with_lab.on_site_collection.partial_results', '', 'done', 'completed.on_site_collection.completed', '', 'done'),
  ('sample_with_lab.on_site_collection.partial_results', '', 'done', 'failed.on_site_collection.sample_error', '', 'done'),
  ('completed.on_site_collection.completed', '', 'done', 'completed.on_site_collection.corrected', '', 'done'),
  ('completed.on_site_collection.corrected', '', 'done', 'completed.on_site_collection.corrected', '', 'done');
-- rows end

-- Every look-up here is by a whole primary key, so that its plan is the same at any size.
create function order_events_follow_rules() returns trigger language plpgsql
set search_path = pg_catalog, public, pg_temp as $$
declare
  last_status text := '';
  last_leg text := '';
  last_registration text := '';
begin
  if new.id > 1 then
    select e.status, e.leg, e.registration into last_status, last_leg, last_registration
      from order_events e
      where e.user_id = new.user_id and e.order_id = new.order_id and e.id = new.id - 1;
  end if;
  if new.id is null or new.id < 1 or last_status is null then
    raise exception 'event % of order % is out of sequence', new.id, new.order_id
      using errcode = 'check_violation', table = tg_table_name, constraint = 'order_events_in_sequence';
  end if;

  select r.to_leg, r.to_registration into new.leg, new.registration
    from order_status_rules r
    where r.from_status = last_status and r.from_leg = last_leg and r.from_registration = last_registration
      and r.to_status = new.status;
  if not found then
    raise exception 'status % may not follow % (leg %, registration %)',
      new.status, coalesce(nullif(last_status, ''), 'nothing'), quote_literal(last_leg), quote_literal(last_registration)
      using errcode = 'check_violation', table = tg_table_name, constraint = 'order_events_follow_rules';
  end if;

  -- The rules keep the method from event to event, so that only the first one can bring in a wrong one.
  if new.id = 1 and not exists (
    select from orders o
      where o.user_id = new.user_id and o.id = new.order_id and o.method = split_part(new.status, '.', 2)
  ) then
    raise exception 'status % is not one of the order''s collection method', new.status
      using errcode = 'check_violation', table = tg_table_name, constraint = 'order_events_of_method';
  end if;
  return new;
end $$;

create trigger order_events_follow_rules before insert on order_events
  for each row execute function order_events_follow_rules();

-- An event stays as it was written; only its owner changes, when an order is bound to another user.
create function order_events_never_change() returns trigger language plpgsql
set search_path = pg_catalog, public, pg_temp as $$
declare
  allowed order_events := old;
begin
  allowed.user_id := new.user_id;
  if new is distinct from allowed then
    raise exception 'event % of order % may not be changed', old.id, old.order_id
      using errcode = 'check_violation', table = tg_table_name, constraint = 'order_events_never_change';
  end if;
  return new;
end $$;

create trigger order_events_never_change before update on order_events
  for each row execute function order_events_never_change();
