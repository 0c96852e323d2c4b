import { inWords, StatusBadge, type Tone } from './status-badge.tsx';

/** Words for statuses whose names do not say enough. Others are their names as words. */
const WORDS: Record<string, string> = {
  awaiting_registration: 'Waits for registration',
  testkit_registered: 'Kit registered',
  requisition_created: 'Requisition ready',
  requisition_bypassed: 'Sent electronically',
  transit_customer: 'On its way to the patient',
  out_for_delivery: 'Out for delivery',
  with_customer: 'With the patient',
  transit_lab: 'On its way to the laboratory',
  problem_in_transit_customer: 'Delivery problem to the patient',
  problem_in_transit_lab: 'Delivery problem to the laboratory',
  delivered_to_lab: 'At the laboratory',
  lab_processing_blocked: 'Blocked at the laboratory',
  failure_to_deliver_to_customer: 'Not delivered to the patient',
  failure_to_deliver_to_lab: 'Not delivered to the laboratory',
  draw_completed: 'Sample drawn',
  do_not_process: 'Will not be processed',
};

/** Statuses that need somebody, though the order goes on. */
const TROUBLE = new Set([
  'problem_in_transit_customer',
  'problem_in_transit_lab',
  'lab_processing_blocked',
  'appointment_cancelled',
  'redraw_available',
]);

/** Statuses that ended an order against the wish of whoever ordered it. */
const LOST = new Set(['do_not_process']);

const TONES: Record<string, Tone> = {
  received: 'quiet',
  collecting_sample: 'active',
  sample_with_lab: 'active',
  completed: 'good',
  cancelled: 'quiet',
  failed: 'bad',
};

/** The words for a status as in `events` of an order: `collecting_sample.testkit.transit_customer`. */
export function statusInWords(status: string): string {
  const name = status.split('.')[2] ?? status;
  return WORDS[name] ?? inWords(name);
}

/** The status of an order, as its newest event names it. */
export function OrderStatus({ status }: { status: string }) {
  const [top = '', , name = ''] = status.split('.');
  const tone = LOST.has(name) ? 'bad' : TROUBLE.has(name) ? 'warning' : (TONES[top] ?? 'quiet');
  return <StatusBadge tone={tone}>{statusInWords(status)}</StatusBadge>;
}

const METHODS: Record<string, string> = {
  testkit: 'Test kit',
  walk_in_test: 'Walk-in',
  at_home_phlebotomy: 'Draw at home',
  on_site_collection: 'On site',
};

/** The words for a collection method. */
export const methodInWords = (method: string): string => METHODS[method] ?? inWords(method);

const INTERPRETATION_TONES: Record<string, Tone> = { normal: 'good', abnormal: 'warning', critical: 'bad' };

/** What the results of an order, or one of them, mean. */
export function Interpretation({ value }: { value: string }) {
  return <StatusBadge tone={INTERPRETATION_TONES[value] ?? 'quiet'}>{inWords(value)}</StatusBadge>;
}
