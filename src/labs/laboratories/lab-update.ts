import type { ShipmentUpdate } from '../orders/testkit/store-shipment.ts';
import type { LowLevelStatus } from '../orders/status/statuses.ts';

/**
 * An update about an order from a laboratory or a carrier: a new status, and the data that came with it. A report with
 * results is not an update.
 */
export type LabUpdate = {
  status: LowLevelStatus;
  status_detail?: string;
  sample_id?: string;
  shipment?: ShipmentUpdate;
  /** True if the laboratory needs another sample. The same transaction makes a new order for that sample. */
  redraw?: true;
};
