// How often each provider is asked, for a new connection and for each poll, as docs/guides/connect-a-provider.md tells: of a
// person with a night a day and a workout every second day. `UPDATE=1` writes the table of the guide anew.
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { importConnection, makeUser } from '../../../test/factories.ts';
import { startProvider, type DataAnswer, type DataRequest, type Provider } from '../../../test/provider.ts';
import { refresh } from '../../../test/pulled.ts';
import { PROVIDERS, type ProviderSlug } from './catalogue.ts';
import { IMPORTERS } from './registry.ts';

const DAY_MS = 86_400_000;
const GUIDE = 'docs/guides/connect-a-provider.md';
const HEAD =
  '| provider | days of the past | calls of a new connection | calls of a poll | polls a day | calls a day |';

const today = Date.parse(new Date().toISOString().slice(0, 10));
/** Moments at three in the morning, one every so many days, from yesterday back, that lie between two. */
const every = (days: number, from: number, to: number): number[] =>
  Array.from({ length: Math.ceil(200 / days) }, (_, n) => today - (n * days + 1) * DAY_MS + 3 * 3_600_000).filter(
    (at) => at >= from && at < to,
  );
const iso = (at: number): string => new Date(at).toISOString();
/** Full days from one moment to another, of today none: at whatever hour this runs, it is as many. */
const daysBetween = (from: string, to: string): number => dayOf(to) - dayOf(from);
const dayOf = (moment: string): number => Math.floor(Date.parse(moment) / DAY_MS);
const idOf = (at: number): number => Math.round(at / 1_000);

/** Pages of an answer that has so many rows, without the rows: it is the questions that are counted. */
const paged = (request: DataRequest, rows: number, most: number, empty: object, [told, asked]: [string, string]) => {
  const page = Number(request.query.get(asked) ?? 0);
  return { json: { ...empty, ...((page + 1) * most < rows ? { [told]: String(page + 1) } : {}) } };
};

type Play = (request: DataRequest) => DataAnswer | undefined;

const PLAYS: Readonly<Record<string, Play>> = {
  dexcom_v3: () => ({ json: { records: [] } }),
  google_health: (request) => {
    const [, type = '', how] = /dataTypes\/([^/]+)\/dataPoints(:\w+)?$/.exec(request.path) ?? [];
    if (how === ':dailyRollUp') return { json: {} };
    const [from = '', to = ''] = [...(request.query.get('filter') ?? '').matchAll(/"([^"]+)"/g)].map(([, at]) => at);
    const days = daysBetween(from, to);
    // Heart rate by the minute around the clock, what is moved by the minute while awake, the rest a few times a day.
    const aDay = {
      'heart-rate': 1_440,
      steps: 300,
      distance: 300,
      'active-energy-burned': 900,
      sleep: 1,
      exercise: 0.5,
    };
    const rows = Math.floor(days * (aDay[type as 'steps'] ?? 4));
    const size = Number(request.query.get('pageSize'));
    return paged(request, rows, size, { dataPoints: [] }, ['nextPageToken', 'pageToken']);
  },
  oura: ({ path }) => (path.endsWith('personal_info') ? { json: { id: 'a' } } : { json: { data: [] } }),
  polar: ({ path }) => {
    const exercises = every(2, today - 28 * DAY_MS, today).map((at) => ({
      id: `e${idOf(at)}`,
      start_time: iso(at).slice(0, 19),
      start_time_utc_offset: 0,
      duration: 'PT1H',
      sport: 'RUNNING',
      samples: [{ 'recording-rate': 5, 'sample-type': '0', data: '90,91,92' }],
    }));
    if (path.endsWith('/exercises')) return { json: exercises };
    const one = exercises.find(({ id }) => path.endsWith(`/exercises/${id}`));
    return one ? { json: one } : { status: 204 };
  },
  strava: ({ path, query }) => {
    const of = (from: number, to: number) =>
      every(2, from, to).map((at) => ({
        id: idOf(at),
        sport_type: 'Run',
        start_date: iso(at),
        elapsed_time: 1_800,
        distance: 5_000,
      }));
    if (path.endsWith('/athlete')) return { json: { id: 1 } };
    if (path.endsWith('/streams')) return { json: { time: { data: [0, 1] }, heartrate: { data: [90, 91] } } };
    const [, id] = /\/activities\/(\d+)$/.exec(path) ?? [];
    const one = of(0, today).find((each) => String(each.id) === id);
    if (one) return { json: { ...one, resource_state: 3, calories: 300 } };
    if (Number(query.get('page')) > 1) return { json: [] };
    return { json: of(Number(query.get('after')) * 1_000, Number(query.get('before')) * 1_000) };
  },
  wahoo: ({ path, query }) => {
    if (path.endsWith('/user')) return { json: { id: 1 } };
    const page = Number(query.get('page'));
    const all = every(2, 0, today).map((at) => ({
      id: idOf(at),
      starts: iso(at),
      workout_type_id: 0,
      workout_summary: { duration_total_accum: '1800.0' },
    }));
    return { json: { workouts: all.slice((page - 1) * 60, page * 60), order: 'descending' } };
  },
  whoop_v2: (request) => {
    if (request.path.endsWith('/measurement/body')) return { json: { height_meter: 1.7, weight_kilogram: 60 } };
    const days = daysBetween(request.query.get('start') ?? '', request.query.get('end') ?? '');
    const rows = Math.floor(days * (request.path.endsWith('/workout') ? 0.5 : 1));
    return paged(request, rows, 25, { records: [] }, ['next_token', 'nextToken']);
  },
  withings: ({ body }) => {
    const form = new URLSearchParams(body);
    const nights = every(1, Date.parse(form.get('startdateymd') ?? ''), Date.parse(form.get('enddateymd') ?? ''));
    const series = nights.map((at) => ({
      id: idOf(at),
      startdate: idOf(at),
      enddate: idOf(at) + 14_400,
      modified: 1,
      date: iso(at).slice(0, 10),
      timezone: 'UTC',
      data: { total_sleep_time: 14_000 },
    }));
    return { json: { status: 0, body: { series: form.get('action') === 'getsummary' ? series : [] } } };
  },
};

let provider: Provider;
let app: TestApp;
beforeAll(async () => {
  provider = await startProvider();
  const env = Object.keys(PLAYS).map((slug) => provider.env(slug));
  app = await startTestApp(Object.assign({}, ...env) as Record<string, string>);
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

async function countCalls(slug: ProviderSlug): Promise<{ first: number; poll: number }> {
  const team = await app.makeTeam();
  const { user_id } = await makeUser(team);
  provider.play(PLAYS[slug] as Play);
  provider.asked.length = 0;
  await importConnection(team, user_id, { oauth_scopes: null }, slug);
  await app.runJobs();
  const first = provider.asked.length;
  // What the first poll asks for once more than others it does not ask for again.
  await refresh(app, team, user_id);
  provider.asked.length = 0;
  expect((await refresh(app, team, user_id)).body.refreshed_sources).toEqual([slug]);
  return { first, poll: provider.asked.length };
}

test('the guide tells how often each provider is asked', async () => {
  expect(Object.keys(PLAYS).toSorted()).toEqual(Object.keys(IMPORTERS).toSorted());
  const lines: string[] = [HEAD, '|---|---:|---:|---:|---:|---:|'];
  for (const slug of Object.keys(PLAYS) as ProviderSlug[]) {
    const { first, poll } = await countCalls(slug);
    const { name, history_days } = PROVIDERS[slug];
    const polls = 86_400 / (IMPORTERS[slug]?.pollEverySeconds ?? 0);
    lines.push(`| ${name} | ${history_days} | ${first} | ${poll} | ${polls} | ${poll * polls} |`);
  }
  const guide = readFileSync(GUIDE, 'utf8');
  const start = guide.indexOf(HEAD);
  expect(start).toBeGreaterThan(0);
  const end = guide.indexOf('\n\n', start);
  if (process.env['UPDATE']) writeFileSync(GUIDE, guide.slice(0, start) + lines.join('\n') + guide.slice(end));
  const shown = guide.slice(start, end).split('\n');
  expect(shown.map((line) => line.split('|').map((cell) => cell.trim())).slice(2)).toEqual(
    lines.map((line) => line.split('|').map((cell) => cell.trim())).slice(2),
  );
});
