import type { Bundle, DiagnosticReport } from 'fhir/r4.js';
import type { TeamCtx } from '../../../context.ts';
import { loadOrder } from '../../orders/load.ts';
import { findResults } from '../../results/find.ts';
import { missingObservationOf, observationOf } from './observation.ts';
import { resourcesOf, specimenIdOf } from './order.ts';
import { organizationIdOf, organizationOf } from './people.ts';
import { collectionOf, idOf, referTo } from './references.ts';

const STATUSES: Readonly<Record<string, DiagnosticReport['status']>> = {
  partial: 'partial',
  final: 'final',
  corrected: 'corrected',
};

/** The newest report of an order as FHIR R4, with the order that it is of. Throws results_not_available. */
export async function resultsAsFhir(ctx: TeamCtx, orderId: string): Promise<Bundle> {
  const [order, { metadata, results, missing_results }] = [
    await loadOrder(ctx, orderId),
    await findResults(ctx, orderId),
  ];
  const { row } = order;
  const [collected, received] = [momentOf(metadata.date_collected), momentOf(metadata.date_received)];
  const of = {
    orderId: row.id,
    userId: row.user_id,
    specimen: row.sample_id === null ? null : specimenIdOf(row.id, row.sample_id),
    effective: collected,
  };
  const observations = [
    ...results.map((result, place) => observationOf(result, of, place)),
    ...(missing_results ?? []).map((missing, place) => missingObservationOf(missing, of, place)),
  ];
  const shared = resourcesOf(order, { collected, received });
  const names = [metadata.laboratory, ...results.map(({ performing_laboratory }) => performing_laboratory)];
  const laboratories = [...new Set(names.filter((name) => name !== null))]
    .map((name) => organizationOf(row.id, name, name === metadata.laboratory ? metadata['clia_#'] : null))
    .filter(({ id }) => shared.every((resource) => resource.id !== id));
  const issued = momentOf(metadata.date_reported);
  const report: DiagnosticReport = {
    resourceType: 'DiagnosticReport',
    id: idOf(row.id, 'report'),
    // Withdrawn and cancelled orders keep what was reported of them: its own status tells what it is.
    status: STATUSES[metadata.status] ?? 'unknown',
    category: [{ coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0074', code: 'LAB' }] }],
    code: { text: order.labTest.name },
    basedOn: [referTo(row.id)],
    subject: referTo(row.user_id),
    ...(of.specimen !== null && { specimen: [referTo(of.specimen)] }),
    ...(collected !== null && { effectiveDateTime: collected }),
    ...(issued !== null && { issued }),
    ...(metadata.laboratory !== null && { performer: [referTo(organizationIdOf(row.id, metadata.laboratory))] }),
    result: observations.map(({ id }) => referTo(id as string)),
  };
  const id = idOf(row.id, 'results');
  return collectionOf(id, issued ?? row.updated_at, [report, ...observations, ...shared, ...laboratories]);
}

/** An instant as FHIR writes it; null where a laboratory has told a day or nothing. */
const momentOf = (text: string | null): string | null =>
  text !== null && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) ? text : null;
