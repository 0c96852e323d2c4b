import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { ageInYears } from '../../../wire/birth-date.ts';
import { analytesOf } from '../../catalogue/analytes.ts';
import type { LoadedOrder } from '../../orders/load.ts';
import { partsOf, type LowLevelStatus } from '../../orders/status/table.ts';
import { countReports, type LabReport } from '../../results/store-report.ts';
import type { LabNews } from '../news.ts';
import { simulateResults, sourceMarkerOf } from './results.ts';
import type { SimulationFlags } from './schemas.ts';

type Flags = Static<typeof SimulationFlags>;

const SAMPLE_ID_LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * What the sandbox's laboratory, with its carrier, tells when an order gets to a status: derived from the order, so
 * that a test can expect it.
 */
export async function simulateNews(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  status: LowLevelStatus,
  flags: Flags,
): Promise<LabNews> {
  const { id } = order.row;
  switch (status) {
    case 'transit_customer':
      return { status, sample_id: sampleIdOf(id), shipment: parcel('outbound', id) };
    case 'transit_lab':
      return { status, shipment: parcel('inbound', id) };
    case 'lab_processing_blocked':
      return { status, status_detail: 'date_of_collection_unspecified' };
    case 'sample_error':
      return { status, status_detail: 'sample_quantity_not_sufficient' };
    case 'partial_results':
      return { status, report: await report(ctx, order, flags, 'partial') };
    case 'completed':
    case 'corrected':
      return { status, report: await report(ctx, order, flags, 'final') };
    default:
      return { status };
  }
}

function sampleIdOf(orderId: string): string {
  const digest = createHash('sha256').update(`sample ${orderId}`).digest();
  return `SIM${[...digest.subarray(0, 12)].map((byte) => SAMPLE_ID_LETTERS[byte % 32]).join('')}`;
}

function parcel(way: 'outbound' | 'inbound', orderId: string): NonNullable<LabNews['shipment']> {
  const number = `SIM${createHash('sha256').update(`${way} ${orderId}`).digest('hex').slice(0, 17).toUpperCase()}`;
  return {
    [`${way}_tracking_number`]: number,
    [`${way}_tracking_url`]: `https://tracking.example.com/${number}`,
    [`${way}_courier`]: 'usps',
  };
}

/** When the order last had the first of these statuses that it ever had; without any, its last one before results. */
function timeOf({ events }: LoadedOrder, ...statuses: LowLevelStatus[]): string {
  const last = (matches: (status: LowLevelStatus) => boolean): string | undefined =>
    events.findLast((event) => matches(partsOf(event.status).low))?.created_at;
  for (const wanted of statuses) {
    const time = last((status) => status === wanted);
    if (time) return time;
  }
  return last((status) => !RESULT_STATUSES.has(status)) as string;
}

const RESULT_STATUSES: ReadonlySet<LowLevelStatus> = new Set(['partial_results', 'completed', 'corrected']);

async function report(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  flags: Flags,
  status: LabReport['status'],
): Promise<LabReport> {
  const { row } = order;
  const analytes = await analytesOf(ctx, row.lab_test_id);
  const lab = await ctx.db
    .selectFrom('labs')
    .select(['slug', 'name', 'clia_number'])
    .where('id', '=', order.labTest.lab?.id ?? 0)
    .executeTakeFirstOrThrow();
  const { patient_details: patient, physician } = row;
  if (!patient) throw new Error(`Order ${row.id} has no patient to report for.`);
  const collected = timeOf(order, 'draw_completed', 'transit_lab', 'appointment_scheduled');
  const received = timeOf(order, 'delivered_to_lab', 'draw_completed');
  const reported = new Date(Math.max(Date.now(), Date.parse(row.updated_at) + 1)).toISOString();
  const sampleId = row.sample_id ?? sampleIdOf(row.id);
  const missing = flags.has_missing_results ? analytes.slice(-1) : [];
  const found = analytes.filter((analyte) => !missing.includes(analyte));
  const zoned = (timestamp: string): { timestamp: string; timezone_offset: number } => ({
    timestamp,
    timezone_offset: 0,
  });
  return {
    status,
    metadata: {
      age: String(ageInYears(patient.dob, Date.parse(collected))),
      dob: patient.dob,
      'clia_#': lab.clia_number,
      patient: `${patient.first_name} ${patient.last_name}`,
      provider: physician && `${physician.first_name} ${physician.last_name}`,
      laboratory: lab.name,
      date_reported: reported,
      date_collected: collected,
      specimen_number: sampleId,
      date_received: received,
      patient_id: row.user_id,
      account_id: null,
    },
    results: simulateResults(found, flags, {
      seed: `${row.id} ${await countReports(ctx, order)}`,
      gender: patient.gender,
      age: ageInYears(patient.dob, Date.parse(collected)),
      reported_at: reported,
      lab_name: lab.name,
      sample_id: sampleId,
    }),
    missing_results: missing.map((analyte) => ({
      name: analyte.name,
      slug: analyte.slug,
      inferred_failure_type: 'quantity_not_sufficient_failure',
      note: 'Quantity not sufficient.',
      loinc: analyte.loinc_code,
      loinc_slug: analyte.loinc_code === null ? null : analyte.slug,
      provider_id: analyte.marker_provider_id,
      source_markers: [sourceMarkerOf(analyte)],
    })),
    sample_information: {
      [sampleId]: {
        sample_id: sampleId,
        control_number: null,
        date_collected: zoned(collected),
        date_received: zoned(received),
        date_reported: zoned(reported),
        performing_laboratories: {
          [lab.slug]: { name: lab.name, phone_number: null, medical_director: null, address: null },
        },
        clinical_information: null,
      },
    },
  };
}
