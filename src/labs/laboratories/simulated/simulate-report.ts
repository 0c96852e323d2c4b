import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { ageInYears } from '../../../wire/birth-date.ts';
import { analytesOf, type Analyte } from '../../catalogue/analytes.ts';
import { findLab } from '../../catalogue/labs.ts';
import type { LoadedOrder } from '../../orders/load-order.ts';
import { partsOf, type LowLevelStatus } from '../../orders/status/statuses.ts';
import type { LabReport, Observation } from '../../results/lab-report.ts';
import { simulateResults } from './simulate-results.ts';
import { sampleIdOf } from './sample-id.ts';
import type { SimulationFlags } from './schemas.ts';

type Flags = Static<typeof SimulationFlags>;

const lowStatuses = ({ events }: LoadedOrder): LowLevelStatus[] => events.map(({ status }) => partsOf(status).low);

/**
 * Makes the report of the simulated laboratory for an order. For the same order in the same status, it is always the
 * same report.
 */
export async function simulateReport(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  flags: Flags,
  status: LabReport['status'],
): Promise<LabReport> {
  const { row } = order;
  const lab = await findLab(ctx, order.lab.id);
  const { patient_details: patient, physician } = row;
  if (!patient) throw new Error(`Order ${row.id} has no patient to report for.`);
  const collected = timeOf(order, 'draw_completed', 'transit_lab', 'appointment_scheduled');
  const received = timeOf(order, 'delivered_to_lab', 'draw_completed');
  const now = ctx.happenedAt === undefined ? Date.now() : Date.parse(ctx.happenedAt);
  const reported = new Date(Math.max(now, Date.parse(row.updated_at) + 1)).toISOString();
  const sampleId = row.sample_id ?? sampleIdOf(row.id);
  return {
    status,
    tests: null,
    placer_number: null,
    filler_number: null,
    accession_number: sampleId,
    account_number: null,
    collected_at: inUtc(collected),
    received_at: inUtc(received),
    reported_at: inUtc(reported),
    patient: {
      first_name: patient.first_name,
      last_name: patient.last_name,
      dob: patient.dob,
      gender: patient.gender,
    },
    provider: physician && `${physician.first_name} ${physician.last_name}`,
    laboratory: { name: lab.name, clia_number: lab.clia_number },
    performing_laboratories: {
      [lab.slug]: {
        name: lab.name,
        phone_number: null,
        medical_director: 'Maria Sandoval, MD',
        address: {
          first_line: lab.first_line_address,
          second_line: '',
          city: lab.city,
          state: lab.state,
          zip: lab.zipcode,
          country: 'United States',
          access_notes: null,
        },
      },
    },
    samples: [
      { sample_id: sampleId, control_number: null, collected_at: null, received_at: null, clinical_information: null },
    ],
    observations: await observationsOf(ctx, order, flags, { status, sampleId, collected }),
  };
}

const inUtc = (timestamp: string): { timestamp: string; timezone_offset: number } => ({
  timestamp,
  timezone_offset: 0,
});

async function observationsOf(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  flags: Flags,
  { status, sampleId, collected }: { status: LabReport['status']; sampleId: string; collected: string },
): Promise<Observation[]> {
  const { id, lab_test_id, patient_details: patient } = order.row;
  const analytes = await analytesOf(ctx, lab_test_id);
  const missing = flags.has_missing_results ? analytes.slice(-1) : [];
  const found = analytes.filter((analyte) => !missing.includes(analyte));
  const corrections = lowStatuses(order).filter((low) => low === 'corrected').length + (status === 'corrected' ? 1 : 0);
  const values = simulateResults(found, flags, {
    seed: `${id} ${corrections}`,
    correction: corrections,
    gender: patient?.gender ?? '',
    age: ageInYears(patient?.dob ?? collected.slice(0, 10), Date.parse(collected)),
  });
  const common = { sample_id: sampleId, performing_laboratory: null, sub_id: null, failure: null };
  const observations = [
    ...values.map((value): Observation => ({ ...value, ...common, status, notes: null })),
    ...missing.map((analyte): Observation => ({ ...withoutValue(analyte), ...common })),
  ];
  return status === 'partial' ? firstOf(observations, lowStatuses(order)) : observations;
}

const withoutValue = (
  analyte: Analyte,
): Omit<Observation, 'sample_id' | 'performing_laboratory' | 'sub_id' | 'failure'> => ({
  analyte_slug: analyte.slug,
  loinc: analyte.loinc_code,
  code: analyte.marker_provider_id,
  name: analyte.name,
  kind: 'comment',
  text: '',
  unit: null,
  reference_range: null,
  flags: [],
  status: 'not_obtained',
  notes: 'Quantity not sufficient.',
});

/**
 * Returns half of the observations for the first partial report, and more for each further partial report. The last
 * returned observation may be partial. All observations before it are final.
 */
function firstOf(observations: Observation[], statuses: LowLevelStatus[]): Observation[] {
  const parts = statuses.filter((low) => low === 'partial_results').length;
  const most = Math.ceil(observations.length * (1 - 0.5 ** (parts + 1)));
  return observations
    .slice(0, most)
    .map((observation, index) =>
      index < most - 1 && observation.status === 'partial' ? { ...observation, status: 'final' } : observation,
    );
}

const RESULT_STATUSES: ReadonlySet<LowLevelStatus> = new Set(['partial_results', 'completed', 'corrected']);

/**
 * Takes the first of these statuses that the order ever had, and returns the last time at which the order got it. If
 * the order had none of the statuses, the function returns the time of its last status before results.
 */
function timeOf({ events }: LoadedOrder, ...statuses: LowLevelStatus[]): string {
  const last = (matches: (status: LowLevelStatus) => boolean): string | undefined =>
    events.findLast((event) => matches(partsOf(event.status).low))?.created_at;
  for (const wanted of statuses) {
    const time = last((status) => status === wanted);
    if (time) return time;
  }
  return last((status) => !RESULT_STATUSES.has(status)) as string;
}
