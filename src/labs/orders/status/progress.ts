import type { LoadedOrder } from '../load.ts';
import { progressOf, type OrderProgress } from './rules.ts';

/** Where an order stands by its events. */
export function progressOfOrder({ row, events }: LoadedOrder): OrderProgress {
  const progress = progressOf(
    row.method,
    events.map((event) => event.status.split('.')[2] as string),
  );
  if (!progress) throw new Error(`The events of order ${row.id} break the status table.`);
  return progress;
}
