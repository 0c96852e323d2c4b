import type { LoadedOrder } from '../load.ts';
import { progressOf, type OrderProgress } from './rules.ts';
import { partsOf } from './table.ts';

/** Where an order stands by its events. */
export function progressOfOrder({ row, events }: LoadedOrder): OrderProgress {
  const progress = progressOf(
    row.method,
    events.map((event) => partsOf(event.status).low),
  );
  if (!progress) throw new Error(`The events of order ${row.id} break the status table.`);
  return progress;
}
