import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../../context.ts';
import { ucumOf } from '../../interpretation/ucum-units.ts';
import type { SourceMarker } from '../../schemas.ts';
import { COMMON_ANALYTES, type CommonAnalyte } from './common-analytes.ts';
import type { LoincMatch } from '../schemas.ts';

type Candidate = {
  code: string;
  name: string;
  display: string;
  units: string[];
  aliases: string[];
  common: CommonAnalyte | null;
  markers: Static<typeof SourceMarker>[];
};
export type Match = { match: Static<typeof LoincMatch>; status: 'auto_match' | 'needs_review'; candidate: Candidate };

/**
 * How sure we are that a name in a report means an analyte, if exactly one analyte has the name. SURE: the report has a
 * unit of this analyte. LIKELY: the report has no unit. DOUBTFUL: the report has a unit that this analyte does not
 * have.
 */
const SURE = 1;
const LIKELY = 0.9;
const DOUBTFUL = 0.5;

/**
 * Returns a name in lower case without accents and punctuation. We compare names in reports and names in the catalogue
 * in this form.
 */
export const normalName = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/**
 * Returns a function that finds the analyte for a name in a report. It knows the names in the catalogue and the names
 * that reports commonly use.
 */
export async function openMatcher(ctx: TeamCtx): Promise<(name: string, unit: string | null) => Match | null> {
  const byName = new Map<string, Candidate | null>();
  for (const candidate of await candidates(ctx)) {
    for (const alias of new Set(candidate.aliases)) {
      const other = byName.get(alias);
      // If two analytes have the same name, the name identifies none of them.
      byName.set(alias, other === undefined || other?.code === candidate.code ? candidate : null);
    }
  }
  return (name, unit) => {
    const candidate =
      byName.get(normalName(name)) ?? byName.get(normalName(name.replaceAll(/[([][^()[\]]*[)\]]/g, ' ')));
    if (!candidate) return null;
    const confidence_score = unit === null ? LIKELY : isUnitOf(unit, candidate) ? SURE : DOUBTFUL;
    return {
      candidate,
      status: confidence_score >= LIKELY ? 'auto_match' : 'needs_review',
      match: {
        loinc_code: candidate.code,
        loinc_name: candidate.name,
        display_name: candidate.display,
        aliases: candidate.aliases.slice(0, 20),
        confidence_score,
      },
    };
  };
}

const isUnitOf = (unit: string, { units }: Candidate): boolean =>
  units.some((each) => ucumOf(each)?.toLowerCase() === ucumOf(unit)?.toLowerCase());

async function candidates({ db }: TeamCtx): Promise<Candidate[]> {
  const { rows } = await sql<{
    code: string;
    name: string;
    loinc_name: string;
    unit: string | null;
    markers: Static<typeof SourceMarker>[];
  }>`
    select loinc_code as code, analytes.name, coalesce(loinc_name, analytes.name) as loinc_name, unit, (
      select coalesce(json_agg(json_build_object('marker_id', markers.id, 'name', markers.name, 'slug', markers.slug,
                                                 'provider_id', markers.provider_id) order by markers.id), '[]'::json)
        from (select markers.* from marker_analytes join markers on markers.id = marker_id
               where analyte_id = analytes.id order by markers.id limit 10) as markers
    ) as markers
      from analytes where loinc_code is not null order by analytes.id limit 5000`.execute(db);
  const catalogued = rows.map((row): Candidate => {
    const common = COMMON_ANALYTES.find(({ code }) => code === row.code) ?? null;
    return {
      code: row.code,
      name: row.loinc_name,
      display: row.name,
      units: [...(row.unit === null ? [] : [row.unit]), ...(common?.units ?? [])],
      aliases: [normalName(row.name), ...(common?.aliases ?? [])],
      common,
      markers: row.markers,
    };
  });
  const codes = new Set(catalogued.map(({ code }) => code));
  const others = COMMON_ANALYTES.filter(({ code }) => !codes.has(code)).map((common): Candidate => ({
    code: common.code,
    name: common.name,
    display: '',
    units: common.units,
    aliases: common.aliases,
    common,
    markers: [],
  }));
  return [...catalogued, ...others];
}
