import type { ShipmentNews } from '../orders/testkit/ship.ts';
import type { LowLevelStatus } from '../orders/status/table.ts';
import type { LabReport } from '../results/report.ts';

/**
 * What a laboratory (or its carrier) tells of an order: a new status with what comes with it, or a report, whose status
 * follows from what is in it. A lost one is of nobody by its numbers.
 */
export type LabNews =
  | {
      status: LowLevelStatus;
      status_detail?: string;
      sample_id?: string;
      shipment?: ShipmentNews;
      /** Another sample is taken, by a new order in the same transaction. */
      redraw?: true;
    }
  | { report: LabReport; lost?: true };
