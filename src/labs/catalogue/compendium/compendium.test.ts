import type { Static } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { problemsOf } from '../../../../test/people.ts';
import { newId } from '../../../ids.ts';
import type { LabTestPage } from '../schemas.ts';
import type { CompendiumConversionAnswer, CompendiumSearchAnswer } from './schemas.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const search = async (body: object): Promise<Static<typeof CompendiumSearchAnswer>> =>
  (await app.api<Static<typeof CompendiumSearchAnswer>>('POST', '/v3/compendium/search', body)).body;
const convert = async (body: object): Promise<Static<typeof CompendiumConversionAnswer>> =>
  (await app.api<Static<typeof CompendiumConversionAnswer>>('POST', '/v3/compendium/convert', body)).body;
const labTestId = async (slug: string): Promise<string> => {
  const { body } = await app.api<Static<typeof LabTestPage>>('GET', '/v3/lab_test?lab_test_limit=100');
  return body.data.find((each) => each.slug === slug)?.id as string;
};

describe('searching the compendium', () => {
  test('finds markers of several laboratories with the same LOINC codes as one candidate', async () => {
    const { canonical_candidates, selected_canonical, per_lab } = await search({ mode: 'canonical', query: 'tsh' });
    expect([selected_canonical, per_lab]).toEqual([null, {}]);
    expect(canonical_candidates[0]).toMatchObject({ loinc_codes: ['3016-3'], confidence: 0.8, cpt_codes: [] });
    expect(canonical_candidates[0]?.provider_ids).toHaveLength(2);
  });

  test('a crosswalk lists the matching markers of each laboratory, the exact one first', async () => {
    const { selected_canonical, per_lab } = await search({ mode: 'crosswalk', query: 'tsh', limit: 50 });
    expect(selected_canonical?.loinc_codes).toEqual(['3016-3']);
    expect(Object.keys(per_lab).toSorted()).toEqual(['simulated-kit-lab', 'simulated-reference-lab']);
    for (const candidates of Object.values(per_lab)) {
      expect(candidates[0]).toMatchObject({ relation: 'exact', confidence: 1, reason_codes: ['loinc'] });
      expect(candidates.slice(1).map(({ relation }) => relation)).toContain('superset');
    }
  });

  test('finds a set by its hash, in chosen laboratories, and leaves out related sets on request', async () => {
    const first = await search({ mode: 'canonical', query: 'tsh' });
    const loinc_set_hash = first.canonical_candidates[0]?.loinc_set_hash;
    expect(first.related.every(({ relation }) => relation === 'superset')).toBe(true);
    expect(first.related).not.toEqual([]);
    const again = await search({
      mode: 'crosswalk',
      loinc_set_hash,
      labs: ['simulated-reference-lab'],
      include_related: false,
    });
    expect(again.selected_canonical).toMatchObject({ loinc_set_hash, confidence: 1 });
    expect([Object.keys(again.per_lab), again.related]).toEqual([['simulated-reference-lab'], []]);
  });

  test('finds nothing by an unknown name, an unknown laboratory, or CPT codes', async () => {
    for (const asked of [{ query: 'zebra' }, { query: 'tsh', labs: ['nowhere'] }, { cpt_codes: ['84443'] }])
      expect(await search({ mode: 'crosswalk', ...asked })).toEqual({
        mode: 'crosswalk',
        selected_canonical: null,
        canonical_candidates: [],
        per_lab: {},
        related: [],
      });
  });

  test('refuses empty fields, so it never lists everything', async () => {
    const nothing = [{}, { query: null, cpt_codes: null, loinc_set_hash: null }, { cpt_codes: [] }];
    for (const asked of [...nothing, { query: '  ' }, { labs: ['simulated-kit-lab'] }]) {
      const answer = await app.api('POST', '/v3/compendium/search', { mode: 'canonical', ...asked });
      expect([asked, answer.status, problemsOf(answer)[0]]).toEqual([asked, 422, 'body value_error']);
    }
  });

  test.each([
    {},
    { mode: 'other', query: 'tsh' },
    { mode: 'canonical', query: 'tsh', limit: 0 },
    { mode: 'canonical', query: 'tsh', limit: 51 },
  ])('is refused for %j', async (body) => {
    expect((await app.api('POST', '/v3/compendium/search', body)).status).toBe(422);
  });
});

describe('converting to another laboratory', () => {
  test('a lab test is converted marker by marker', async () => {
    const lab_test_id = await labTestId('standard-testkit');
    const answer = await convert({ lab_test_id, target_lab: 'simulated-reference-lab' });
    expect(answer).toMatchObject({
      source_lab_test_id: lab_test_id,
      source_lab_id: 1,
      target_lab_id: 2,
      target_lab_slug: 'simulated-reference-lab',
      unresolved_provider_ids: [],
    });
    expect(answer.source_provider_ids).toContain('KIT-24331');
    expect(answer.converted_provider_ids).toHaveLength(answer.source_provider_ids.length);
    for (const { candidates } of Object.values(answer.by_source_provider_id))
      expect(candidates[0]).toMatchObject({ lab_id: 2, relation: 'exact' });
  });

  test('order codes are converted without a lab test, and an unknown one is unresolved', async () => {
    const answer = await convert({ provider_ids: ['KIT-4548', 'NOWHERE'], target_lab: 'simulated-reference-lab' });
    expect(answer).toMatchObject({
      source_lab_test_id: null,
      source_lab_id: 1,
      source_provider_ids: ['KIT-4548', 'NOWHERE'],
      unresolved_provider_ids: ['NOWHERE'],
    });
    expect(answer.by_source_provider_id['NOWHERE']).toEqual({ source_provider_id: 'NOWHERE', candidates: [] });
    expect(answer.converted_provider_ids).toHaveLength(1);
  });

  test('a panel that the other laboratory offers only in parts is unresolved', async () => {
    const answer = await convert({ provider_ids: await panelOfReferenceLab(), target_lab: 'simulated-kit-lab' });
    expect(answer.converted_provider_ids).toEqual([]);
    expect(answer.unresolved_provider_ids).toHaveLength(1);
  });

  /** Returns the reference laboratory's order code of the comprehensive metabolic panel. */
  async function panelOfReferenceLab(): Promise<string[]> {
    const { body } = await app.api<{ markers: { id: number; provider_id: string }[] }>(
      'GET',
      '/v3/lab_tests/markers?lab_id=2&size=100',
    );
    return body.markers.filter(({ id }) => id === 2101).map(({ provider_id }) => provider_id);
  }

  test('an unknown laboratory or lab test is refused, and so are both or none of lab test and codes', async () => {
    const lab_test_id = await labTestId('standard-testkit');
    const status = async (body: object): Promise<number> =>
      (await app.api('POST', '/v3/compendium/convert', body)).status;
    expect(await status({ lab_test_id, target_lab: 'nowhere' })).toBe(404);
    expect(await status({ lab_test_id: newId(), target_lab: 'simulated-kit-lab' })).toBe(404);
    for (const body of [{}, { lab_test_id, provider_ids: ['A'] }, { lab_test_id: null, provider_ids: null }])
      expect(await status({ ...body, target_lab: 'simulated-kit-lab' })).toBe(422);
    expect(await status({ lab_test_id })).toBe(422);
  });
});
