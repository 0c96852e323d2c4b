import type { CollectionMethod, LowLevelStatus } from '../orders/status/statuses.ts';

/** The state of an order and the patient's next step, in words for the patient. */
type Step = { now: string; next: string };

type Facts = {
  status: LowLevelStatus;
  method: CollectionMethod;
  /** Whether the order has a patient. A kit that nobody has registered yet has none. */
  hasPatient: boolean;
  /** The name of the team that sent the link. */
  from: string;
  mayShowResults: boolean;
};

export const stepOf = (facts: Facts): Step => STEPS[facts.status](facts);

const NOTHING = 'There is nothing for you to do now.';
const COLLECT = 'When you have the kit, collect your sample as its instructions say, and send it back the same day.';

const BEGINNING: Record<CollectionMethod, (facts: Facts) => Step> = {
  testkit: () => ({ now: 'Your kit is being prepared', next: NOTHING }),
  walk_in_test: ({ from }) => ({
    now: 'Your test is ordered',
    next: `Make an appointment at a service center with ${from}, if you have none yet.`,
  }),
  at_home_phlebotomy: ({ from }) => ({
    now: 'Your test is ordered',
    next: `Choose with ${from} when somebody comes to take your sample.`,
  }),
  on_site_collection: () => ({
    now: 'Your test is ordered',
    next: 'Come to the site that ordered the test at the agreed time.',
  }),
};

const beginning = (facts: Facts): Step => BEGINNING[facts.method](facts);
const cancelled = ({ from }: Facts): Step => ({
  now: 'This test was cancelled',
  next: `If you did not expect this, ask ${from}.`,
});
const readResults = ({ mayShowResults, from }: Facts): string =>
  mayShowResults ? 'You can read them here.' : `Sign in with ${from} to read them.`;
const anotherSample =
  (now: string) =>
  ({ from }: Facts): Step => ({ now, next: `Ask ${from} how you give another sample.` });
const waiting =
  (now: string, next = NOTHING) =>
  (): Step => ({ now, next });

const STEPS: Record<LowLevelStatus, (facts: Facts) => Step> = {
  ordered: beginning,
  requisition_created: beginning,
  requisition_bypassed: beginning,
  awaiting_registration: ({ from }) => ({
    now: 'Your kit is being prepared',
    next: `When it is there, register it with ${from} first.`,
  }),
  testkit_registered: waiting('Your kit is registered', COLLECT),
  transit_customer: waiting('Your kit is on its way'),
  out_for_delivery: waiting('Your kit is out for delivery', 'It should be with you today.'),
  with_customer: ({ hasPatient, from }) => ({
    now: 'Your kit has been delivered',
    next: hasPatient ? COLLECT : `Register it with ${from} first. Then collect your sample as its instructions say.`,
  }),
  problem_in_transit_customer: ({ from }) => ({
    now: 'There is a problem with the delivery of your kit',
    next: `If it does not arrive within a few days, tell ${from}.`,
  }),
  failure_to_deliver_to_customer: ({ from }) => ({
    now: 'Your kit could not be delivered',
    next: `Ask ${from} for another one.`,
  }),
  transit_lab: waiting('Your sample is on its way to the laboratory'),
  problem_in_transit_lab: waiting('Your sample is late on its way to the laboratory'),
  failure_to_deliver_to_lab: anotherSample('Your sample did not reach the laboratory'),
  lost: anotherSample('Your parcel was lost'),
  delivered_to_lab: waiting('Your sample is at the laboratory', `${NOTHING} The results follow.`),
  lab_processing_blocked: ({ from }) => ({
    now: 'The laboratory needs to know more before it goes on',
    next: `Ask ${from} what is missing.`,
  }),
  appointment_pending: waiting('Your appointment is not confirmed yet'),
  appointment_scheduled: ({ from }) => ({
    now: 'Your appointment is booked',
    next: `If you cannot keep it, tell ${from} in time.`,
  }),
  appointment_cancelled: ({ from }) => ({
    now: 'Your appointment was cancelled',
    next: `Choose another one with ${from}.`,
  }),
  redraw_available: anotherSample('A new sample is needed'),
  draw_completed: waiting('Your sample was taken', `${NOTHING} The results follow when the laboratory has them.`),
  partial_results: waiting('Some results are in', `${NOTHING} The others follow.`),
  completed: (facts) => ({ now: 'Your results are ready', next: readResults(facts) }),
  corrected: (facts) => ({ now: 'The laboratory has corrected your results', next: readResults(facts) }),
  sample_error: anotherSample('Your sample could not be tested'),
  cancelled,
  do_not_process: cancelled,
};
