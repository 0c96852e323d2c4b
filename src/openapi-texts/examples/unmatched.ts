import { SOMETHING } from './invented.ts';

export const UNMATCHED_BODIES: Readonly<Record<string, unknown>> = {
  accept_unmatched_result: { order_id: SOMETHING, note: 'The tube had no label; asked the clinic.' },
  resolve_unmatched_result: { action: 'reject', note: 'Not a patient of ours.' },
};
