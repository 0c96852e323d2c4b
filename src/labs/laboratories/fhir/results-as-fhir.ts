import type { Bundle, DiagnosticReport } from 'fhir/r4.js';
import type { TeamCtx } from '../../../context.ts';
import { loadOrder } from '../../orders/load-order.ts';
import { findDocumentOrNull } from '../../results/find-document.ts';
import { resultsOf } from '../../results/find.ts';
import type { FoundResults } from '../../results/found-results.ts';
import { missingObservationOf, observationOf } from './observation.ts';
import { resourcesOf, specimenIdOf } from './order-as-fhir.ts';
import { identifiersOf, numbersOf } from './numbers.ts';
import { organizationIdOf, organizationOf } from './people.ts';
import { collectionOf, idOf, referTo } from './references.ts';

/** Writes the newest report of an order as FHIR R4, together with the order. Throws results_not_available. */
export async function resultsAsFhir(ctx: TeamCtx, orderId: string): Promise<Bundle> {
  const order = await loadOrder(ctx, orderId);
  const found = await resultsOf(ctx, order);
  const { metadata, results, missing_results } = found;
  const { row } = order;
  const sampleId = row.sample_id ?? sampleOf(found);
  const [collected, received] = [momentOf(metadata.date_collected), momentOf(metadata.date_received)];
  const of = {
    orderId: row.id,
    userId: row.user_id,
    specimen: sampleId === null ? null : specimenIdOf(row.id, sampleId),
    effective: collected,
  };
  const observations = [
    ...results.map((result, position) => observationOf(result, of, position)),
    ...(missing_results ?? []).map((missing, position) => missingObservationOf(missing, of, position)),
  ];
  const numbers = await numbersOf(ctx, order);
  const shared = resourcesOf(order, numbers, { sampleId, collected, received });
  const names = [metadata.laboratory, ...results.map(({ performing_laboratory }) => performing_laboratory)];
  const laboratories = [...new Set(names.filter((name) => name !== null))]
    .map((name) => organizationOf(row.id, name, name === metadata.laboratory ? metadata['clia_#'] : null))
    .filter(({ id }) => shared.every((resource) => resource.id !== id));
  const issued = momentOf(metadata.date_reported);
  const report: DiagnosticReport = {
    resourceType: 'DiagnosticReport',
    id: idOf(row.id, 'report'),
    identifier: identifiersOf(numbers, 'filler', 'accession'),
    // We take the status from the report and not from the order. A cancelled order may have a final report.
    status: statusOf(found),
    category: [{ coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0074', code: 'LAB' }] }],
    code: { text: order.labTest.name },
    basedOn: [referTo(row.id)],
    subject: referTo(row.user_id),
    ...(of.specimen !== null && { specimen: [referTo(of.specimen)] }),
    ...(collected !== null && { effectiveDateTime: collected }),
    ...(issued !== null && { issued }),
    ...(metadata.laboratory !== null && { performer: [referTo(organizationIdOf(row.id, metadata.laboratory))] }),
    result: observations.map(({ id }) => referTo(id as string)),
    // The laboratory's document if it sent one, or else our own PDF of the same results.
    presentedForm: [
      {
        contentType: 'application/pdf',
        url: `${ctx.config.baseUrl}/v3/order/${row.id}/result/pdf`,
        title: (await findDocumentOrNull(ctx, order)) ? 'Report of the laboratory' : 'Report of the results',
        ...(issued !== null && { creation: issued }),
      },
    ],
  };
  const id = idOf(row.id, 'results');
  return collectionOf(id, issued ?? row.updated_at, [report, ...observations, ...shared, ...laboratories]);
}

/**
 * Returns the FHIR status of a report. A report with missing results is partial, even if it corrects values. A complete
 * report that changes an earlier final report is corrected.
 */
const statusOf = ({ metadata, is_corrected }: FoundResults): DiagnosticReport['status'] =>
  metadata.status === 'partial' ? 'partial' : is_corrected ? 'corrected' : 'final';

/** Returns the laboratory's sample number: the first one, if the report names several. */
const sampleOf = ({ sample_information }: FoundResults): string | null =>
  Object.values(sample_information ?? {}).find(({ sample_id }) => sample_id)?.sample_id ?? null;

/**
 * Returns the text if it is a complete time with an offset (a FHIR instant). Returns null if the laboratory reported
 * only a day, or nothing.
 */
const momentOf = (text: string | null): string | null =>
  text !== null && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) ? text : null;
