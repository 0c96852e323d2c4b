// The statuses in which the page offers an action. The service decides, because it knows more than the status.

/** The last parts of statuses after which an order can have a successor. */
export const REPLACEABLE: ReadonlySet<string> = new Set([
  'with_customer',
  'testkit_registered',
  'lost',
  'failure_to_deliver_to_customer',
  'failure_to_deliver_to_lab',
  'sample_error',
  'redraw_available',
]);

const BEFORE_COLLECTION: ReadonlySet<string> = new Set([
  'transit_customer',
  'out_for_delivery',
  'with_customer',
  'problem_in_transit_customer',
  'appointment_pending',
  'appointment_scheduled',
  'appointment_cancelled',
]);

const lastPart = (status: string): string => status.slice(status.lastIndexOf('.') + 1);

export const canBeReplaced = (status: string): boolean => REPLACEABLE.has(lastPart(status));

/** True before the sample is collected: the patient can be corrected, if the laboratory does not have the order yet. */
export const isBeforeCollection = (status: string): boolean =>
  status.startsWith('received.') || BEFORE_COLLECTION.has(lastPart(status));
