import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { loadLabTest } from '../find.ts';
import { findLab } from '../labs.ts';
import { candidatesFor, isWhole } from './compare.ts';
import { loadCompendium } from './load-compendium.ts';
import type { CompendiumConversion, CompendiumConversionAnswer } from './schemas.ts';

/**
 * Finds out what to order at another laboratory. The input is a lab test, or order codes of a laboratory. For each
 * marker, the function finds the other laboratory's marker that has the same observations or more. Throws not_found if
 * the lab test or the laboratory is unknown.
 */
export async function convertCompendium(
  ctx: TeamCtx,
  asked: Static<typeof CompendiumConversion>,
): Promise<Static<typeof CompendiumConversionAnswer>> {
  const { limit = 3, lab_test_id } = asked;
  const target = await findLab(ctx, asked.target_lab);
  const labTest = lab_test_id ? await loadLabTest(ctx, lab_test_id) : null;
  const codes = labTest ? (labTest.markers ?? []).flatMap(({ provider_id }) => provider_id ?? []) : asked.provider_ids;
  const entries = await loadCompendium(ctx);
  const there = entries.filter(({ lab_id }) => lab_id === target.id);
  const isSource = (lab: number): boolean => (labTest ? lab === labTest.lab?.id : lab !== target.id);
  const sources = entries.filter(({ lab_id }) => isSource(lab_id));
  const labs = new Set<number>();
  const found = new Map<string, ReturnType<typeof candidatesFor>>();
  for (const code of new Set(codes)) {
    const source = sources.filter(({ provider_id }) => provider_id === code);
    for (const { lab_id } of source) labs.add(lab_id);
    // If two laboratories have this code, we cannot know which of them the client means. So the result lists the code
    // as unresolved.
    found.set(code, source.length === 1 && source[0] ? candidatesFor(source[0].loinc_codes, there) : []);
  }
  const best = [...found].map(([code, candidates]) => ({ code, match: candidates.find(isWhole) }));
  const [lab] = labs;
  return {
    source_lab_test_id: labTest?.id ?? null,
    source_lab_id: labTest?.lab?.id ?? (labs.size === 1 && lab !== undefined ? lab : null),
    target_lab_id: target.id,
    target_lab_slug: target.slug,
    source_provider_ids: [...found.keys()],
    converted_provider_ids: [...new Set(best.flatMap(({ match }) => match?.provider_id ?? []))],
    unresolved_provider_ids: best.filter(({ match }) => !match).map(({ code }) => code),
    by_source_provider_id: Object.fromEntries(
      [...found].map(([code, candidates]) => [
        code,
        { source_provider_id: code, candidates: candidates.slice(0, limit) },
      ]),
    ),
  };
}
