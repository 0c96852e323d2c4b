import { ageInYears } from '../../../wire/birth-date.ts';
import type { LoadedOrder } from '../../orders/load-order.ts';
import type { Interpretation } from '../interpretation/interpret.ts';
import type { StoredReport } from '../stored-report.ts';
import type { NewestReport } from '../newest-report.ts';
import type { LabReport } from '../lab-report.ts';

type Description = Pick<StoredReport, 'metadata' | 'sample_information'>;

/**
 * Returns the description of a report: the patient from the order, and the laboratory with its times from the report.
 * If a later report lacks a fact, the fact from the earlier report stays.
 */
export function describeReport(
  { row }: LoadedOrder,
  report: LabReport,
  before: NewestReport | null,
  { status, interpretation }: { status: string; interpretation: Interpretation },
): Description {
  const patient = row.patient_details;
  const collected = report.collected_at?.timestamp ?? before?.metadata.date_collected ?? null;
  const received = report.received_at?.timestamp ?? before?.metadata.date_received ?? null;
  const specimen = row.sample_id ?? report.samples[0]?.sample_id ?? report.accession_number;
  return {
    metadata: {
      age: patient ? String(ageInYears(patient.dob, Date.parse(collected ?? report.reported_at.timestamp))) : '',
      dob: patient?.dob ?? '',
      'clia_#': report.laboratory.clia_number,
      patient: patient ? `${patient.first_name} ${patient.last_name}` : '',
      provider: row.physician ? `${row.physician.first_name} ${row.physician.last_name}` : report.provider,
      laboratory: report.laboratory.name,
      date_reported: report.reported_at.timestamp,
      date_collected: collected,
      specimen_number: specimen ?? before?.metadata.specimen_number ?? '',
      date_received: received,
      patient_id: row.user_id,
      account_id: report.account_number ?? before?.metadata.account_id ?? null,
      status,
      interpretation,
    },
    sample_information: {
      ...before?.sample_information,
      ...samplesOf(row, report, before?.sample_information ?? {}),
    },
  };
}

type SampleInformation = Description['sample_information'];

/**
 * Returns the samples of a report by their ids. If the report names no sample, its times and laboratories belong to the
 * order's only sample. The key of that sample is the first number that we know: the sample id of the order, a number
 * from the report, the id of the order.
 */
function samplesOf(order: LoadedOrder['row'], report: LabReport, before: SampleInformation): SampleInformation {
  const { accession_number, filler_number, placer_number } = report;
  const unnamed = order.sample_id ?? accession_number ?? filler_number ?? placer_number ?? order.id;
  const samples: Partial<LabReport['samples'][number]>[] = report.samples.length > 0 ? report.samples : [{}];
  return Object.fromEntries(
    samples.map((sample) => {
      const id = sample.sample_id || unnamed;
      const known = before[id];
      return [
        id,
        {
          sample_id: sample.sample_id || order.sample_id,
          control_number: sample.control_number ?? known?.control_number ?? null,
          date_collected: sample.collected_at ?? report.collected_at ?? known?.date_collected ?? null,
          date_received: sample.received_at ?? report.received_at ?? known?.date_received ?? null,
          date_reported: report.reported_at,
          performing_laboratories: { ...known?.performing_laboratories, ...report.performing_laboratories },
          clinical_information: sample.clinical_information ?? known?.clinical_information ?? null,
        },
      ];
    }),
  );
}
