// Reports as the adapter of a laboratory returns them, before they are applied.
import { randomUUID } from 'node:crypto';
import { inTransaction } from '../src/db/transaction.ts';
import { lockOrder } from '../src/labs/orders/load-order.ts';
import type { LabReport, Observation } from '../src/labs/results/lab-report.ts';
import { storeReport, type StoreOutcome } from '../src/labs/results/store-report.ts';
import { receiveReport } from '../src/labs/results/unmatched/receive-report.ts';
import { forTeam } from '../src/tenancy/teams/team-scope.ts';
import type { Team, TestApp } from './test-app.ts';
import type { OrderBody } from './factories.ts';

const at = (timestamp: string): { timestamp: string; timezone_offset: number } => ({ timestamp, timezone_offset: 0 });

/** One value: 7 mg/dL of something, where less than 5 is normal. */
export const observed = (changes: Partial<Observation> = {}): Observation => ({
  analyte_slug: null,
  loinc: null,
  code: 'X1',
  name: 'Something',
  sub_id: null,
  kind: 'numeric',
  text: '7',
  unit: 'mg/dL',
  reference_range: '<5',
  flags: [],
  status: 'final',
  failure: null,
  notes: null,
  performing_laboratory: null,
  sample_id: null,
  ...changes,
});

/** A final report of that value, from the given day of January. */
export const reportOf = (changes: Partial<LabReport> = {}, day = 7): LabReport => ({
  status: 'final',
  tests: null,
  placer_number: null,
  filler_number: null,
  accession_number: null,
  account_number: null,
  collected_at: at('2026-01-05T08:00:00.000Z'),
  received_at: at('2026-01-06T08:00:00.000Z'),
  reported_at: at(`2026-01-${String(day).padStart(2, '0')}T08:00:00.000Z`),
  patient: null,
  provider: null,
  laboratory: { name: 'Lab', clia_number: null },
  performing_laboratories: {},
  samples: [],
  observations: [observed()],
  ...changes,
});

export type Received = StoreOutcome['outcome'] | Awaited<ReturnType<typeof receiveReport>>;

/** The same with its sample. */
export const sampled = (sample_id: string, changes: Partial<LabReport> = {}): LabReport =>
  reportOf({
    samples: [{ sample_id, control_number: null, collected_at: null, received_at: null, clinical_information: null }],
    ...changes,
  });

/**
 * Receives the report for a team, with the order of the laboratory's numbers. Without an order it waits for a person.
 */
export async function receiveFor(
  app: TestApp,
  { team, orderId, labId }: { team: Team; orderId: string | null; labId: number },
  report: LabReport,
): Promise<Received> {
  const ctx = forTeam(app.ctx, { id: team.id, org_id: team.org_id, settings: {} });
  return inTransaction(ctx, async (tx) => {
    if (orderId === null) return receiveReport(tx, { lab_id: labId, lab_account_id: null, report });
    return (await storeReport(tx, await lockOrder(tx, orderId), report)).outcome;
  });
}

export const labOf = (order: OrderBody): number => (order['lab_test'] as { lab: { id: number } }).lab.id;

/** A laboratory that sends its own report with the first version of an order's results. */
export async function plantDocument(app: TestApp, order: OrderBody, text: string): Promise<void> {
  const [team_id, order_id, user_id] = [order.team_id as string, order.id, order.user_id];
  const document_id = randomUUID();
  const sealedRow = { team_id, id: `${document_id}/0` };
  const content = app.ctx.cipher.sealBytes(
    'lab_result_documents.content',
    sealedRow,
    Buffer.from(`%PDF-1.7 ${text} %%EOF`),
  );
  const reported_at = new Date().toISOString();
  await app.db
    .insertInto('lab_result_documents')
    .values({ user_id, order_id, version: 1, n: 0, team_id, document_id, reported_at, content })
    .execute();
}
