import type { Static } from 'typebox';
import type { Entry } from './load-compendium.ts';
import type { CanonicalCandidate, PerLabCandidate } from './schemas.ts';

type Relation = { relation: 'exact' | 'superset' | 'subset' | 'overlap'; confidence: number };

/**
 * Compares two markers by the LOINC codes of their observations. Returns how the codes of `other` relate to the wanted
 * codes; null if they have no code in common. `confidence` is the share of the common codes among all their codes.
 */
export function compare(wanted: readonly string[], other: readonly string[]): Relation | null {
  const common = wanted.filter((code) => other.includes(code)).length;
  if (common === 0) return null;
  const [hasAll, hasMore] = [common === wanted.length, common < other.length];
  const relation = hasAll ? (hasMore ? 'superset' : 'exact') : hasMore ? 'overlap' : 'subset';
  return { relation, confidence: round(common / (wanted.length + other.length - common)) };
}

const round = (share: number): number => Math.round(share * 100) / 100;

/**
 * Returns the markers that share LOINC codes with the wanted set. Markers that have all wanted codes come first. The
 * others follow, the most similar first.
 */
export function candidatesFor(wanted: readonly string[], entries: Entry[]): Static<typeof PerLabCandidate>[] {
  return entries
    .flatMap((entry) => {
      const relation = compare(wanted, entry.loinc_codes);
      return relation ? [{ ...shownOf(entry), ...relation, reason_codes: ['loinc'] }] : [];
    })
    .toSorted((a, b) => Number(isWhole(b)) - Number(isWhole(a)) || b.confidence - a.confidence);
}

export const isWhole = ({ relation }: { relation: string }): boolean => relation === 'exact' || relation === 'superset';

function shownOf({ popularity, ...entry }: Entry) {
  return { ...entry, loinc_groups: [], cpt_codes: [], marker_popularity_score: popularity };
}

/** Combines markers that have the same set of LOINC codes into one candidate. */
export function canonicalOf(same: Entry[], confidence: number): Static<typeof CanonicalCandidate> {
  const [first] = same as [Entry];
  const others = [...new Set(same.map(({ name }) => name))].filter((name) => name !== first.name);
  return {
    loinc_set_hash: first.loinc_set_hash,
    display_name: first.name,
    aliases: others,
    loinc_codes: first.loinc_codes,
    provider_ids: same.map(({ provider_id }) => provider_id),
    loinc_components: first.loinc_components,
    loinc_groups: [],
    cpt_codes: [],
    popularity_score: same.reduce((sum, { popularity }) => sum + popularity, 0),
    confidence,
  };
}
