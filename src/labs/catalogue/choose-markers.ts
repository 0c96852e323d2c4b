import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';

type MarkerNames = {
  marker_ids?: number[] | null | undefined;
  /** The laboratory's own order codes. */
  provider_ids?: string[] | null | undefined;
};

type MarkerLaboratory = {
  /** The laboratory to which the markers must belong; null if the request names none. */
  lab_id: number | null;
  /** The laboratory whose order codes the request uses, if the request does not name a laboratory. */
  codes_of: number | null;
};

export type ChosenMarker = {
  id: number;
  name: string;
  lab_id: number;
  provider_id: string;
  price: string | null;
  a_la_carte_enabled: boolean;
  common_tat_days: number | null;
  worst_case_tat_days: number | null;
};

/**
 * Returns the markers that the request names by id or by order code, each once, in the order of the request. Throws
 * not_found, mixed_laboratories if they do not all belong to one laboratory, and order_set_ambiguous if several
 * laboratories have these order codes.
 */
export async function chooseMarkers(ctx: TeamCtx, named: MarkerNames, at: MarkerLaboratory): Promise<ChosenMarker[]> {
  const byId = await findById(ctx, [...new Set(named.marker_ids ?? [])]);
  const labId = at.lab_id ?? byId[0]?.lab_id ?? null;
  const byCode = await findByCode(ctx, [...new Set(named.provider_ids ?? [])], labId ?? at.codes_of);
  const markers = [...new Map([...byId, ...byCode].map((marker) => [marker.id, marker])).values()];
  if (markers.some(({ lab_id }) => lab_id !== (labId ?? markers[0]?.lab_id))) {
    throw new AppError('mixed_laboratories', 'All markers and lab tests must be of one laboratory.');
  }
  return markers;
}

const MARKER = sql`select id, name, lab_id, provider_id, price::text as price, a_la_carte_enabled, common_tat_days,
  worst_case_tat_days from markers`;

async function findById(ctx: TeamCtx, ids: number[]): Promise<ChosenMarker[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<ChosenMarker>`${MARKER} where id = any (${ids}::bigint[])`.execute(ctx.db);
  return ids.map((id) => {
    const marker = rows.find((row) => row.id === id);
    if (!marker) throw notFound('Marker');
    return marker;
  });
}

/**
 * Finds markers by order codes. Each laboratory has its own codes. If the request names no laboratory, we take the
 * laboratory that has all of these codes.
 */
async function findByCode(ctx: TeamCtx, codes: string[], labId: number | null): Promise<ChosenMarker[]> {
  if (codes.length === 0) return [];
  const { rows } = await sql<ChosenMarker>`
    ${MARKER} where provider_id = any (${codes}::text[]) and (${labId}::int is null or lab_id = ${labId})`.execute(
    ctx.db,
  );
  const has = (lab: number, code: string): ChosenMarker | undefined =>
    rows.find((row) => row.lab_id === lab && row.provider_id === code);
  const labs = [...new Set(rows.map(({ lab_id }) => lab_id))].filter((lab) => codes.every((code) => has(lab, code)));
  if (labs.length > 1) {
    throw new AppError(
      'order_set_ambiguous',
      'Several laboratories have these order codes. Name the laboratory, or a lab account there.',
    );
  }
  const [lab] = labs;
  if (lab === undefined) throw notFound('Marker');
  return codes.map((code) => has(lab, code) as ChosenMarker);
}
