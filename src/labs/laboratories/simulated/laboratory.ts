import { createHash } from 'node:crypto';
import type { LabReport } from '../../results/store-report.ts';
import { ageInYears } from '../../../wire/birth-date.ts';
import type { LabNews, Laboratory, LabOrder } from '../news.ts';
import { simulateResults, sourceMarkerOf } from './results.ts';

const SAMPLE_ID_LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The sandbox's laboratory, with its carrier: everything it tells is derived from the order's id, so that a test can expect it. */
export const simulatedLaboratory: Laboratory = {
  newsAt(status, order, flags): LabNews {
    const { row } = order;
    switch (status) {
      case 'transit_customer':
        return { status, sample_id: sampleIdOf(row.id), shipment: parcel('outbound', row.id) };
      case 'transit_lab':
        return { status, shipment: parcel('inbound', row.id) };
      case 'lab_processing_blocked':
        return { status, status_detail: 'date_of_collection_unspecified' };
      case 'sample_error':
        return { status, status_detail: 'sample_quantity_not_sufficient' };
      case 'partial_results':
        return { status, report: report(order, flags, 'partial') };
      case 'completed':
      case 'corrected':
        return { status, report: report(order, flags, 'final') };
      default:
        return { status };
    }
  },
};

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

function report(
  { row, reports, lab, analytes }: LabOrder,
  flags: Parameters<Laboratory['newsAt']>[2],
  status: LabReport['status'],
): LabReport {
  const now = new Date();
  const at = (hoursAgo: number): string => new Date(now.getTime() - hoursAgo * 3_600_000).toISOString();
  const patient = row.patient_details as { first_name: string; last_name: string; dob: string; gender: string };
  const sampleId = row.sample_id ?? sampleIdOf(row.id);
  const missing = flags.has_missing_results ? analytes.slice(-1) : [];
  const reported = analytes.filter((analyte) => !missing.includes(analyte));
  const zoned = (timestamp: string): { timestamp: string; timezone_offset: number } => ({
    timestamp,
    timezone_offset: 0,
  });
  return {
    status,
    metadata: {
      age: String(ageInYears(patient.dob)),
      dob: patient.dob,
      'clia_#': lab.clia_number,
      patient: `${patient.first_name} ${patient.last_name}`,
      provider: null,
      laboratory: lab.name,
      date_reported: at(0),
      date_collected: at(72),
      specimen_number: sampleId,
      date_received: at(24),
      patient_id: row.user_id,
      account_id: null,
    },
    results: simulateResults(reported, flags, {
      seed: `${row.id} ${reports}`,
      gender: patient.gender,
      reported_at: at(0),
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
        date_collected: zoned(at(72)),
        date_received: zoned(at(24)),
        date_reported: zoned(at(0)),
        performing_laboratories: {
          [lab.slug]: { name: lab.name, phone_number: null, medical_director: null, address: null },
        },
        clinical_information: null,
      },
    },
  };
}
