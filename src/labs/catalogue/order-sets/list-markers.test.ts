import type { Static } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { newId } from '../../../ids.ts';
import type { LabTestPage, MarkerPage } from '../schemas.ts';

let app: TestApp;
let tests: Static<typeof LabTestPage>['data'];
beforeAll(async () => {
  app = await startTestApp();
  tests = (await app.api<Static<typeof LabTestPage>>('GET', '/v3/lab_test?lab_test_limit=100')).body.data;
});
afterAll(() => app.close());

const idOf = (slug: string): string => tests.find((each) => each.slug === slug)?.id as string;
const markersOf = (slug: string): number[] =>
  (tests.find((each) => each.slug === slug)?.markers ?? []).map(({ id }) => id);
const ask = <T = Static<typeof MarkerPage>>(body: object, query = '') =>
  app.api<T>('POST', `/v3/lab_tests/list_order_set_markers${query}`, body);
const ids = async (body: object, query = ''): Promise<number[]> =>
  (await ask(body, query)).body.markers.map(({ id }) => id);

describe('the markers of an order set', () => {
  test('are those of its lab tests in their order, then the other markers, each once with its results', async () => {
    const lab_test_ids = [idOf('thyroid-health'), idOf('heart-health')];
    const both = [...new Set([...markersOf('thyroid-health'), ...markersOf('heart-health')])];
    expect(await ids({ lab_test_ids })).toEqual(both);
    const walkIn = markersOf('standard-walk-in');
    const { body } = await ask({
      lab_test_ids: [idOf('standard-walk-in')],
      add_on: { marker_ids: [walkIn[1], 2041, 2040, 2041], provider_ids: ['REF-2857', 'REF-2842'] },
    });
    expect(body.markers.map(({ id }) => id)).toEqual([...walkIn, 2041, 2040, 2038]);
    expect(body.markers.every(({ expected_results }) => expected_results.length > 0)).toBe(true);
  });

  test('come in pages', async () => {
    const { body } = await ask({ add_on: { marker_ids: [2001, 2004, 2005] } }, '?size=2&page=2');
    expect(body).toMatchObject({ total: 3, page: 2, size: 2, pages: 2, pricing: null });
    expect(body.markers.map(({ id }) => id)).toEqual([2005]);
    expect((await ask({ add_on: { marker_ids: [2001] } }, '?size=101')).status).toBe(422);
  });

  test('are refused if the set is empty, unknown, or of several laboratories', async () => {
    const refusal = async (body: object): Promise<unknown[]> => {
      const answer = await ask<{ code: string }>(body);
      return [answer.status, answer.body.code];
    };
    expect(await refusal({})).toEqual([400, 'no_markers']);
    expect(await refusal({ lab_test_ids: [newId()] })).toEqual([404, 'not_found']);
    expect(await refusal({ add_on: { marker_ids: [999_999] } })).toEqual([404, 'not_found']);
    expect(await refusal({ lab_account_id: newId(), lab_test_ids: [idOf('heart-health')] })).toEqual([
      404,
      'not_found',
    ]);
    expect(await refusal({ lab_test_ids: [idOf('heart-health'), idOf('standard-on-site')] })).toEqual([
      400,
      'mixed_laboratories',
    ]);
    expect(await refusal({ lab_test_ids: [idOf('heart-health')], add_on: { marker_ids: [2001] } })).toEqual([
      400,
      'mixed_laboratories',
    ]);
  });
});
