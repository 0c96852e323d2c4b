import type { LoadedOrder } from '../load-order.ts';
import { progressOf, type OrderProgress } from './status-rules.ts';
import { partsOf } from './statuses.ts';

/** Returns the progress of an order, which follows from its events. */
export function progressOfOrder({ row, events }: LoadedOrder): OrderProgress {
  const progress = progressOf(
    row.method,
    events.map((event) => partsOf(event.status).low),
  );
  if (!progress) throw new Error(`The events of order ${row.id} break the status table.`);
  return progress;
}
