import type { ShipmentUpdate } from '../orders/testkit/store-shipment.ts';
import type { LowLevelStatus } from '../orders/status/statuses.ts';

/**
 * A laboratory's or a carrier's update about an order that is not a report: a new status and the data that came with
 * it.
 */
export type LabUpdate = {
  status: LowLevelStatus;
  status_detail?: string;
  sample_id?: string;
  shipment?: ShipmentUpdate;
  /** True if the laboratory needs another sample. The same transaction makes a new order for that sample. */
  redraw?: true;
};
