import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { analytesOf, type Analyte } from '../../catalogue/analytes.ts';
import { birthDateHash, wordHashes } from '../../orders/name-words.ts';
import { loadOrders, type LoadedOrder } from '../../orders/load-order.ts';
import { partsOf, type TopLevelStatus } from '../../orders/status/statuses.ts';
import { canonicalSampleId } from '../../orders/bind-sample.ts';
import { analyteOf } from '../storing/stored-entries.ts';
import type { LabReport } from '../lab-report.ts';
import { statusesAfter } from '../storing/statuses-after.ts';
import type { REASON_CODES } from './schemas.ts';

/**
 * A report with the laboratory that sent it. `lab_account_id` is the team's account at this laboratory, if the report
 * names one. `order` is the order that the numbers in the report identify, if there is one. That order cannot take
 * results in its current state.
 */
export type ReportOfLab = {
  lab_id: number;
  lab_account_id: string | null;
  report: LabReport;
  order?: LoadedOrder | undefined;
};

/** An order to which a report may belong, with the reasons for and against this. */
export type Candidate = {
  user_id: string;
  order_id: string;
  candidate_type: 'provenance_order' | 'order_option';
  confidence_level: 'high' | 'medium' | 'low';
  confidence_score: number;
  reasons: (typeof REASON_CODES)[number][];
  marker_overlap: { reported: number; shared: number; ordered: number };
};

const MAX_OPTIONS = 10;

/**
 * Finds the orders of the team to which a report may belong, the most probable first. These are the orders whose sample
 * the report names, and the orders of patients with the same name and date of birth.
 */
export async function findCandidates(ctx: TxCtx<TeamCtx>, from: ReportOfLab): Promise<Candidate[]> {
  const named = from.order ? [from.order.row.id] : [];
  const bySample = [...new Set([...named, ...(await ordersOfSamples(ctx, from.report))])];
  const ofPatient = (await ordersOfPatient(ctx, from.report)).filter((id) => !bySample.includes(id));
  const orders = await loadOrders(ctx, [...bySample, ...ofPatient]);
  const provenance = orders.filter(({ row }) => bySample.includes(row.id));
  const users = new Set(provenance.map(({ row }) => row.user_id));
  const analytes = new Map<string, Analyte[]>();
  for (const id of new Set(orders.map(({ row }) => row.lab_test_id))) analytes.set(id, await analytesOf(ctx, id));
  const candidates = orders.map((order) => {
    const bySample = provenance.includes(order);
    const sameUser = !bySample && users.has(order.row.user_id);
    const isNamed = order.row.id === from.order?.row.id;
    return weigh(from, order, { bySample, isNamed, sameUser, analytes: analytes.get(order.row.lab_test_id) ?? [] });
  });
  return candidates.toSorted((a, b) => b.confidence_score - a.confidence_score);
}

async function ordersOfSamples(ctx: TxCtx<TeamCtx>, { samples }: LabReport): Promise<string[]> {
  const ids = samples.slice(0, MAX_OPTIONS).map(({ sample_id }) => canonicalSampleId(sample_id));
  const { rows } = await sql<{ id: string }>`
    select orders.id from sample_ids join orders on orders.team_id = ${ctx.team.id} and orders.id = sample_ids.order_id
      join users on users.id = orders.user_id and users.deleted_at is null
     where sample_ids.team_id = ${ctx.team.id} and sample_ids.sample_id = any(${ids}::text[])`.execute(ctx.db);
  return rows.map(({ id }) => id);
}

/**
 * Finds orders of a patient. All words of the name and the date of birth must match, because a name is not enough to
 * identify a person.
 */
async function ordersOfPatient(ctx: TxCtx<TeamCtx>, { patient }: LabReport): Promise<string[]> {
  const words = wordHashes(ctx, `${patient?.first_name ?? ''} ${patient?.last_name ?? ''}`.slice(0, 200));
  if (!patient?.dob || !patient.last_name || words.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select orders.id from order_name_words born
      join orders on orders.user_id = born.user_id and orders.id = born.order_id
      join users on users.id = orders.user_id and users.deleted_at is null
     where born.team_id = ${ctx.team.id} and born.kind = 'birth_date'
       and born.word_hash = ${birthDateHash(ctx, patient.dob)}
       and (select count(*) from order_name_words named
             where named.user_id = born.user_id and named.order_id = born.order_id and named.kind = 'patient'
               and named.word_hash = any(${words}::bytea[])) = ${words.length}
     order by orders.id desc limit ${MAX_OPTIONS}`.execute(ctx.db);
  return rows.map(({ id }) => id);
}

/**
 * How we found an order. `isNamed`: the report contains a number of this order. `bySample`: the report names a sample
 * of this order. `sameUser`: we found the order by the patient's name, and the report names a sample of another order
 * of the same user. `analytes` are the analytes of the order's lab test.
 */
type CandidateFacts = { bySample: boolean; isNamed: boolean; sameUser: boolean; analytes: Analyte[] };

function weigh(
  { lab_id, lab_account_id, report }: ReportOfLab,
  order: LoadedOrder,
  { bySample, isNamed, sameUser, analytes }: CandidateFacts,
): Candidate {
  const shared = report.observations.filter((observation) => analyteOf(observation, analytes) !== null).length;
  const marker_overlap = { reported: report.observations.length, shared, ordered: analytes.length };
  const demographics = bySample ? compareDemographics(order, report) : 'demographic_match';
  const sameLab = order.lab.id === lab_id;
  const score =
    (bySample ? 0.5 : 0) +
    { demographic_match: 0.3, demographic_mismatch: -0.3, unknown: 0 }[demographics] +
    (sameLab ? 0.1 : 0) +
    (0.1 * shared) / Math.max(1, report.observations.length);
  return {
    user_id: order.row.user_id,
    order_id: order.row.id,
    candidate_type: bySample ? 'provenance_order' : 'order_option',
    confidence_level: score >= 0.7 ? 'high' : score >= 0.4 ? 'medium' : 'low',
    confidence_score: Number(Math.max(0, score).toFixed(2)),
    reasons: [
      ...(bySample && !isNamed ? (['sample_id_match'] as const) : []),
      ...(demographics === 'unknown' ? [] : [demographics]),
      ...(differs(lab_account_id, order.row.lab_account_id) ? (['lab_account_mismatch'] as const) : []),
      sameLab ? 'same_lab' : 'possible_wrong_lab',
      ...(sameUser ? (['same_user'] as const) : []),
      ...reasonsOfState(order, report),
      overlapOf(marker_overlap),
    ],
    marker_overlap,
  };
}

const differs = (one: string | null, other: string | null): boolean => one !== null && other !== null && one !== other;

const overlapOf = ({ reported, shared, ordered }: Candidate['marker_overlap']): Candidate['reasons'][number] => {
  if (shared === 0) return 'marker_overlap_none';
  return shared === reported && shared === ordered ? 'marker_overlap_exact' : 'marker_overlap_partial';
};

function compareDemographics(
  { row: { patient_details: ordered } }: LoadedOrder,
  { patient }: LabReport,
): 'demographic_match' | 'demographic_mismatch' | 'unknown' {
  if (!patient?.dob || !ordered) return 'unknown';
  return patient.dob === ordered.dob ? 'demographic_match' : 'demographic_mismatch';
}

const OF_STATE: Partial<Record<TopLevelStatus, Candidate['reasons'][number]>> = {
  completed: 'matched_completed_order',
  cancelled: 'matched_cancelled_order',
};

function reasonsOfState(order: LoadedOrder, report: LabReport): Candidate['reasons'] {
  const ended = OF_STATE[partsOf(order.row.last_status).top];
  if (ended) return [ended];
  const takesResults =
    order.row.patient_details !== null &&
    statusesAfter(order, report.status === 'partial' ? 'partial' : 'complete') !== null;
  return takesResults ? [] : ['invalid_collection_state'];
}
