import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labOf, observed, receiveFor, reportOf } from '../../../../test/lab-reports.ts';
import { makeUser, registeredKit, simulate, type OrderBody } from '../../../../test/factories.ts';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';

type Point = Record<string, unknown> & { order_id: string; value: number | null };
type Line = { name: string; slug: string; unit: string | null; point_count: number; newest: Point; points: Point[] };
type Trend = { user_id: string; lines: Line[]; code: string };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const trend = async (userId: string, of = '', team: Team = app.team): Promise<Trend> =>
  (await team.api<Trend>('GET', `/v3/user/${userId}/result_trend${of}`)).body;

async function kitAtLab(user_id: string): Promise<OrderBody> {
  const kit = await registeredKit(app.team, { user_id });
  await simulate(app.team, kit.id, '?final_status=sample_with_lab.testkit.delivered_to_lab');
  return kit;
}
const report = (
  kit: OrderBody,
  day: number,
  changes: Parameters<typeof observed>[0],
  status: 'final' | 'corrected' = 'final',
) =>
  receiveFor(
    app,
    { team: app.team, orderId: kit.id, labId: labOf(kit) },
    reportOf(
      {
        status,
        collected_at: { timestamp: `2026-01-0${day}T08:00:00.000Z`, timezone_offset: 0 },
        observations: [observed({ code: 'FER', loinc: '2276-4', name: 'Ferritin', status, ...changes })],
      },
      day,
    ),
  );

test('a marker has a line for each unit, with its points by the time of collection', async () => {
  const { user_id } = await makeUser(app.team);
  const [first, second, third] = [await kitAtLab(user_id), await kitAtLab(user_id), await kitAtLab(user_id)];
  // The newest order has the oldest sample.
  await report(third, 2, { text: '20', unit: 'ng/mL', reference_range: '30-400' });
  await report(first, 4, { text: '40', unit: 'ng/mL', reference_range: '30-400' });
  await report(second, 5, { text: '50', unit: 'ug/L', reference_range: '30-400' });
  const { lines } = await trend(user_id, '?marker=2276-4');
  expect(
    lines.map(({ name, unit, point_count, points }) => [name, unit, point_count, points.map(({ value }) => value)]),
  ).toEqual([
    ['Ferritin', 'ng/mL', 2, [20, 40]],
    ['Ferritin', 'ug/L', 1, [50]],
  ]);
  expect(lines[0]?.newest).toEqual(lines[0]?.points.at(-1));
  expect(lines[0]?.points[0]).toMatchObject({
    order_id: third.id,
    result: '20',
    type: 'numeric',
    reference_range: '30-400',
    min_range_value: 30,
    max_range_value: 400,
    interpretation: 'abnormal',
    is_final: true,
    is_corrected: false,
    collected_at: '2026-01-02T08:00:00.000Z',
  });
  const slug = lines[0]?.slug as string;
  expect((await trend(user_id, `?marker=${slug.toUpperCase()}`)).lines).toEqual(lines);
  expect((await trend(user_id, '?marker=nothing')).lines).toEqual([]);
});

test('a corrected value replaces the earlier one and is marked', async () => {
  const { user_id } = await makeUser(app.team);
  const kit = await kitAtLab(user_id);
  await report(kit, 2, { text: '20' });
  await report(kit, 3, { text: '21' }, 'corrected');
  const { lines } = await trend(user_id, '?marker=2276-4');
  expect(lines[0]?.points).toMatchObject([{ value: 21, is_corrected: true }]);
});

test('without a marker, every line has its newest result and the number of its points', async () => {
  const { user_id } = await makeUser(app.team);
  const kit = await registeredKit(app.team, { user_id });
  await simulate(app.team, kit.id);
  const { results } = (
    await app.api<{ results: { slug: string; result: string; source_markers: { marker_id: number }[] }[] }>(
      'GET',
      `/v3/order/${kit.id}/result`,
    )
  ).body;
  const { lines } = await trend(user_id);
  expect(lines.map(({ slug }) => slug).toSorted()).toEqual(results.map(({ slug }) => slug).toSorted());
  for (const { slug, newest, points, point_count } of lines)
    expect([points, point_count, newest.order_id, newest['result']]).toEqual([
      null,
      1,
      kit.id,
      results.find((result) => result.slug === slug)?.result,
    ]);
  const [{ source_markers }] = results as [(typeof results)[number]];
  const id = source_markers[0]?.marker_id as number;
  const ofMarker = results.filter((result) => result.source_markers.some(({ marker_id }) => marker_id === id));
  expect((await trend(user_id, `?marker=${id}`)).lines.map(({ slug }) => slug).toSorted()).toEqual(
    ofMarker.map(({ slug }) => slug).toSorted(),
  );
});

test('a trend ends at the order with which its results have a million characters', async () => {
  const { user_id } = await makeUser(app.team);
  const kits = [await kitAtLab(user_id), await kitAtLab(user_id), await kitAtLab(user_id)];
  const observations = Array.from({ length: 1_000 }, (_, n) =>
    observed({ code: 'LONG', sub_id: `${n}`, kind: 'comment', text: 'x'.repeat(700) }),
  );
  for (const kit of kits)
    await receiveFor(app, { team: app.team, orderId: kit.id, labId: labOf(kit) }, reportOf({ observations }));
  const { lines } = await trend(user_id);
  const [line] = lines;
  expect([lines.length, line?.point_count, line?.newest.order_id]).toEqual([1, 2_000, kits[1]?.id]);
  expect((await trend(user_id, `?marker=${line?.slug}`)).lines[0]?.points).toHaveLength(2_000);
});

test("a user without results has no lines; another team's user and an unknown one answer 404", async () => {
  const { user_id } = await makeUser(app.team);
  expect(await trend(user_id)).toEqual({ user_id, lines: [] });
  const theirs = await makeUser(await app.makeTeam());
  for (const id of [theirs.user_id, randomUUID()]) expect((await trend(id)).code).toBe('not_found');
});
