import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { candidatesFor, canonicalOf, compare } from './compare.ts';
import { loadCompendium, type Entry } from './load-compendium.ts';
import type { CompendiumSearch, CompendiumSearchAnswer } from './schemas.ts';

type CompendiumQuery = Static<typeof CompendiumSearch>;

/**
 * Finds tests by a name or by a set of LOINC codes (`canonical`). Then it lists the laboratories that offer the best of
 * these tests (`crosswalk`). Two markers count as the same test if their observations have the same LOINC codes.
 */
export async function searchCompendium(
  ctx: TeamCtx,
  asked: CompendiumQuery,
): Promise<Static<typeof CompendiumSearchAnswer>> {
  const { mode, limit, include_related } = asked;
  const entries = (await loadCompendium(ctx)).filter(({ lab_slug }) => asked.labs?.includes(lab_slug) ?? true);
  const groups = groupBy(entries, ({ loinc_set_hash }) => loinc_set_hash);
  const found = [...groups.values()]
    .map((same) => canonicalOf(same, confidenceOf(asked, same)))
    .filter(({ confidence }) => confidence > 0)
    .toSorted((a, b) => b.confidence - a.confidence || b.popularity_score - a.popularity_score)
    .slice(0, limit);
  const [best] = found;
  const related = best && include_related ? relatedTo(best, groups).slice(0, limit) : [];
  const selected = mode === 'crosswalk' ? (best ?? null) : null;
  const perLab = groupBy(entries, ({ lab_slug }) => lab_slug);
  return {
    mode,
    selected_canonical: selected,
    canonical_candidates: found,
    per_lab: selected
      ? Object.fromEntries(
          [...perLab].map(([slug, offered]) => [slug, candidatesFor(selected.loinc_codes, offered).slice(0, limit)]),
        )
      : {},
    related,
  };
}

function groupBy(entries: Entry[], keyOf: (entry: Entry) => string): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) groups.set(keyOf(entry), [...(groups.get(keyOf(entry)) ?? []), entry]);
  return groups;
}

/**
 * Returns how well a test matches the query. 1 means that the LOINC codes are the same or that the name equals the
 * query. 0 means no match.
 */
function confidenceOf({ query, loinc_set_hash }: CompendiumQuery, same: Entry[]): number {
  if (loinc_set_hash && same[0]?.loinc_set_hash !== loinc_set_hash) return 0;
  if (!query) return loinc_set_hash ? 1 : 0;
  const words = query.toLowerCase().split(/\s+/);
  const has = (name: string): boolean => words.every((word) => name.toLowerCase().includes(word));
  if (same.some(({ name }) => name.toLowerCase() === words.join(' '))) return 1;
  if (same.some(({ name }) => has(name))) return 0.8;
  return same.some(({ result_names }) => result_names.some(has)) ? 0.5 : 0;
}

type Canonical = ReturnType<typeof canonicalOf>;

function relatedTo(best: Canonical, groups: Map<string, Entry[]>) {
  return [...groups.values()]
    .flatMap((same) => {
      const [first] = same as [Entry];
      const relation = compare(best.loinc_codes, first.loinc_codes);
      if (!relation || relation.relation === 'exact') return [];
      return [{ canonical: canonicalOf(same, relation.confidence), ...relation, reason_codes: ['loinc'] }];
    })
    .toSorted((a, b) => b.confidence - a.confidence);
}
