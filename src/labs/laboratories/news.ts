import type { Static } from 'typebox';
import type { OrderRow } from '../orders/load.ts';
import type { ShipmentNews } from '../orders/testkit/ship.ts';
import type { LowLevelStatus } from '../orders/status/table.ts';
import type { Analyte } from '../catalogue/analytes.ts';
import type { LabReport } from '../results/store-report.ts';
import type { SimulationFlags } from './simulated/schemas.ts';

/** What comes with a new status: whatever of it the laboratory (or its carrier) told. */
export type LabNews = {
  status: LowLevelStatus;
  status_detail?: string;
  sample_id?: string;
  shipment?: ShipmentNews;
  report?: LabReport;
};

export type LabOrder = {
  row: OrderRow;
  /** How many reports the order has already. */
  reports: number;
  lab: { slug: string; name: string; clia_number: string | null };
  analytes: Analyte[];
};

/**
 * A laboratory that orders can be placed with. Everything it tells becomes LabNews, which `apply-news.ts` alone
 * writes: an adapter for a real laboratory turns its messages into news, the simulated one makes them up.
 */
export interface Laboratory {
  newsAt(status: LowLevelStatus, order: LabOrder, flags: Static<typeof SimulationFlags>): LabNews;
}
