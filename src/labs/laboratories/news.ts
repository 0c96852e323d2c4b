import type { ShipmentNews } from '../orders/testkit/ship.ts';
import type { LowLevelStatus } from '../orders/status/table.ts';
import type { LabReport } from '../results/store-report.ts';

/** What comes with a new status: whatever of it the laboratory (or its carrier) told. */
export type LabNews = {
  status: LowLevelStatus;
  status_detail?: string;
  sample_id?: string;
  shipment?: ShipmentNews;
  report?: LabReport;
};
