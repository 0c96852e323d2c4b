import { sql } from 'kysely';
import type { TeamCtx } from '../../../context.ts';
import { AppError, notFound } from '../../../errors.ts';
import { findAccountAt } from '../lab-accounts/find.ts';

type Asked = {
  marker_ids?: number[] | null | undefined;
  provider_ids?: string[] | null | undefined;
  lab_account_id?: string | null | undefined;
  lab_slug?: string | null | undefined;
};

export type ChosenMarker = {
  id: number;
  lab_id: number;
  provider_id: string;
  price: string | null;
  common_tat_days: number | null;
  worst_case_tat_days: number | null;
};

/**
 * The markers that are named by id or order code, in that order, all of one laboratory. Throws not_found, no_markers,
 * duplicate_markers, mixed_laboratories, lab_account_of_other_lab, and order_set_ambiguous where the order codes are
 * those of several laboratories.
 *
 * @param labId the laboratory, where it is known already
 */
export async function chooseMarkers(ctx: TeamCtx, asked: Asked, labId: number | null = null): Promise<ChosenMarker[]> {
  const [ids, codes] = [asked.marker_ids ?? [], asked.provider_ids ?? []];
  if (ids.length + codes.length === 0) throw new AppError('no_markers', 'Name at least one marker.');
  const named = asked.lab_slug ? await findLabId(ctx, asked.lab_slug) : labId;
  const account = await findAccountAt(ctx, named, asked.lab_account_id ?? undefined);
  const byId = await findById(ctx, ids);
  const known = named ?? account?.lab_id ?? byId[0]?.lab_id ?? null;
  const markers = [...byId, ...(await findByCode(ctx, codes, known))];
  if (new Set(markers.map(({ id }) => id)).size < markers.length) {
    throw new AppError('duplicate_markers', 'A marker is named more than once, by its id or by its order code.');
  }
  if (markers.some(({ lab_id }) => lab_id !== known && lab_id !== markers[0]?.lab_id)) throw mixed();
  if (known !== null && markers[0]?.lab_id !== known) throw mixed();
  return markers;
}

const mixed = (): AppError =>
  new AppError('mixed_laboratories', 'The markers have to be of one laboratory: of that which is named, if one is.');

async function findLabId(ctx: TeamCtx, slug: string): Promise<number> {
  const lab = await ctx.db.selectFrom('labs').select('id').where('slug', '=', slug).executeTakeFirst();
  if (!lab) throw notFound('Laboratory');
  return lab.id;
}

const MARKERS = sql`select id, lab_id, provider_id, price::text as price, common_tat_days, worst_case_tat_days from markers`;

async function findById(ctx: TeamCtx, ids: number[]): Promise<ChosenMarker[]> {
  const { rows } = await sql<ChosenMarker>`${MARKERS} where id = any (${ids}::bigint[])`.execute(ctx.db);
  return ids.map((id) => {
    const marker = rows.find((row) => row.id === id);
    if (!marker) throw notFound('Marker');
    return marker;
  });
}

/** Order codes are a laboratory's own: where none is known, it is the one that has them all. */
async function findByCode(ctx: TeamCtx, codes: string[], labId: number | null): Promise<ChosenMarker[]> {
  if (codes.length === 0) return [];
  const { rows } = await sql<ChosenMarker>`
    ${MARKERS} where provider_id = any (${codes}::text[]) and (${labId}::int is null or lab_id = ${labId})`.execute(
    ctx.db,
  );
  const has = (lab: number, code: string): ChosenMarker | undefined =>
    rows.find((row) => row.lab_id === lab && row.provider_id === code);
  const labs = [...new Set(rows.map(({ lab_id }) => lab_id))].filter((lab) => codes.every((code) => has(lab, code)));
  if (labs.length > 1) {
    throw new AppError(
      'order_set_ambiguous',
      'Several laboratories have these order codes. Say in lab_slug which is meant.',
    );
  }
  const [lab] = labs;
  if (lab === undefined) throw notFound('Marker');
  return codes.map((code) => has(lab, code) as ChosenMarker);
}
