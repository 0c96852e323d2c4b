import type { Ctx, TxCtx } from '../../../../context.ts';
import type { CodeMap } from '../messages/read-obx.ts';
import type { Settings } from './connection-settings.ts';

/** A laboratory that is connected by HL7. */
export type Connection = {
  lab_id: number;
  slug: string;
  name: string;
  clia_number: string | null;
  settings: Settings;
};

type AnyCtx = Pick<Ctx | TxCtx, 'db'>;

export async function findConnections(ctx: AnyCtx): Promise<Connection[]> {
  const rows = await ctx.db
    .selectFrom('laboratory_connections')
    .innerJoin('labs', 'labs.id', 'laboratory_connections.lab_id')
    .select(['laboratory_connections.lab_id', 'labs.slug', 'labs.name', 'labs.clia_number'])
    .select('laboratory_connections.settings')
    .orderBy('laboratory_connections.lab_id')
    .execute();
  return rows.map((row) => ({ ...row, settings: row.settings as Settings }));
}

export const findConnectionOrNull = async (ctx: AnyCtx, labId: number): Promise<Connection | null> =>
  (await findConnections(ctx)).find(({ lab_id }) => lab_id === labId) ?? null;

/**
 * Returns the analytes of a laboratory by code. The codes are the laboratory's own, and those LOINC codes that only one
 * of its analytes has.
 */
export async function findCodes(ctx: AnyCtx, labId: number): Promise<CodeMap> {
  const rows = await ctx.db
    .selectFrom('laboratory_codes')
    .innerJoin('analytes', 'analytes.id', 'laboratory_codes.analyte_id')
    .select(['laboratory_codes.code', 'analytes.slug', 'analytes.loinc_code'])
    .where('laboratory_codes.lab_id', '=', labId)
    .execute();
  const codes = new Map(rows.map(({ code, slug }) => [code, slug]));
  for (const { slug, loinc_code } of rows) {
    if (loinc_code === null) continue;
    const isOfOne = rows.every((row) => row.loinc_code !== loinc_code || row.slug === slug);
    if (isOfOne) codes.set(`LN ${loinc_code}`, slug);
  }
  return codes;
}
