import type { operations } from '@phial/client';

export type FinalStatus = NonNullable<NonNullable<operations['simulate_order']['parameters']['query']>['final_status']>;

const KIT = [
  'received.testkit.requisition_created',
  'collecting_sample.testkit.transit_customer',
  'collecting_sample.testkit.out_for_delivery',
  'collecting_sample.testkit.with_customer',
  'collecting_sample.testkit.transit_lab',
  'collecting_sample.testkit.problem_in_transit_customer',
  'collecting_sample.testkit.problem_in_transit_lab',
  'sample_with_lab.testkit.delivered_to_lab',
  'sample_with_lab.testkit.lab_processing_blocked',
  'completed.testkit.completed',
  'completed.testkit.corrected',
  'failed.testkit.failure_to_deliver_to_customer',
  'failed.testkit.failure_to_deliver_to_lab',
  'failed.testkit.sample_error',
  'failed.testkit.lost',
] as const satisfies FinalStatus[];

const WALK_IN = [
  'received.walk_in_test.requisition_created',
  'collecting_sample.walk_in_test.appointment_scheduled',
  'collecting_sample.walk_in_test.redraw_available',
  'sample_with_lab.walk_in_test.partial_results',
  'completed.walk_in_test.completed',
  'completed.walk_in_test.corrected',
  'failed.walk_in_test.sample_error',
] as const satisfies FinalStatus[];

const AT_HOME = [
  'received.at_home_phlebotomy.requisition_created',
  'collecting_sample.at_home_phlebotomy.appointment_scheduled',
  'collecting_sample.at_home_phlebotomy.draw_completed',
  'sample_with_lab.at_home_phlebotomy.partial_results',
  'completed.at_home_phlebotomy.completed',
  'completed.at_home_phlebotomy.corrected',
  'failed.at_home_phlebotomy.sample_error',
] as const satisfies FinalStatus[];

const ON_SITE = [
  'received.on_site_collection.requisition_created',
  'sample_with_lab.on_site_collection.draw_completed',
  'sample_with_lab.on_site_collection.partial_results',
  'completed.on_site_collection.completed',
  'completed.on_site_collection.corrected',
  'failed.on_site_collection.sample_error',
] as const satisfies FinalStatus[];

const STEPS: Record<string, readonly FinalStatus[]> = {
  testkit: KIT,
  walk_in_test: WALK_IN,
  at_home_phlebotomy: AT_HOME,
  on_site_collection: ON_SITE,
};

type Simulated = { details: { type: string }; last_event: { status: string } };

/** The statuses to which the simulation can take an order. Of an ended order it can only correct the result. */
export function stepsFrom({ details, last_event: { status } }: Simulated): readonly FinalStatus[] {
  const steps = STEPS[details.type] ?? [];
  if (/^(cancelled|failed)\.|\.corrected$/.test(status)) return [];
  return status.startsWith('completed.') ? steps.filter((step) => step.endsWith('.corrected')) : steps;
}
