import type { ShipmentNews } from '../orders/testkit/ship.ts';
import type { LowLevelStatus } from '../orders/status/table.ts';

/** What a laboratory (or its carrier) tells of an order but reports: a new status, with what comes with it. */
export type LabNews = {
  status: LowLevelStatus;
  status_detail?: string;
  sample_id?: string;
  shipment?: ShipmentNews;
  /** Another sample is taken, by a new order in the same transaction. */
  redraw?: true;
};
