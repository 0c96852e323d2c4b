// Counts the requests to each provider for a new connection and for each poll, for the table in
// docs/guides/connect-a-provider.md. The person has a night a day and a workout every second day. `UPDATE=1` rewrites
// the table.
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { importConnection, makeUser } from '../../../test/factories.ts';
import { startProvider, type Provider } from '../../../test/provider.ts';
import { DOCUMENTED } from '../../../test/providers/documented-providers.ts';
import type { DocumentedProvider } from '../../../test/providers/documented.ts';
import { refresh } from '../../../test/pulled.ts';
import { PROVIDERS, type ProviderSlug } from './provider-catalogue.ts';
import { IMPORTERS } from './registry.ts';

const GUIDE = 'docs/guides/connect-a-provider.md';
const HEAD =
  '| provider | days of the past | calls of a new connection | calls of a poll | polls a day | calls a day |';

let provider: Provider;
let app: TestApp;
beforeAll(async () => {
  provider = await startProvider();
  const env = Object.keys(DOCUMENTED).map((slug) => provider.env(slug));
  app = await startTestApp(Object.assign({}, ...env) as Record<string, string>);
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

async function countCalls(slug: ProviderSlug): Promise<{ first: number; poll: number }> {
  const team = await app.makeTeam();
  const { user_id } = await makeUser(team);
  provider.play((DOCUMENTED[slug] as DocumentedProvider).play);
  provider.asked.length = 0;
  await importConnection(team, user_id, { oauth_scopes: null }, slug);
  await app.runJobs();
  const first = provider.asked.length;
  // The first poll also makes some requests that later polls do not make. So the second poll is counted.
  await refresh(app, team, user_id);
  provider.asked.length = 0;
  expect((await refresh(app, team, user_id)).body.refreshed_sources).toEqual([slug]);
  return { first, poll: provider.asked.length };
}

const tableOf = (guide: string): string => {
  const start = guide.indexOf(HEAD);
  return start < 0 ? '' : guide.slice(start, guide.indexOf('\n\n', start));
};
/** The cells of each row, without their spaces, which may differ. */
const rowsOf = (guide: string): string[][] =>
  tableOf(guide)
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
const readGuide = (): string => readFileSync(GUIDE, 'utf8');

const SLUGS = Object.keys(DOCUMENTED) as ProviderSlug[];
const NAMES = SLUGS.map((slug): string => PROVIDERS[slug].name);

/** Writes one row of the table, and removes rows of providers that are gone. */
function writeRow(row: string[]): void {
  const guide = readGuide();
  const rows = [...rowsOf(guide).filter(([name]) => name !== row[0]), row];
  const inOrder = NAMES.flatMap((name) => rows.filter(([of]) => of === name));
  const lines = [...tableOf(guide).split('\n').slice(0, 2), ...inOrder.map((cells) => `| ${cells.join(' | ')} |`)];
  writeFileSync(GUIDE, guide.replace(tableOf(guide), lines.join('\n')));
}

test.each(SLUGS)('the guide has the number of requests to %s', async (slug) => {
  const { first, poll } = await countCalls(slug);
  const { name, history_days } = PROVIDERS[slug];
  const polls = 86_400 / (IMPORTERS[slug]?.pollEverySeconds ?? 0);
  const row = [name, history_days, first, poll, polls, poll * polls].map(String);
  if (process.env['UPDATE']) writeRow(row);
  expect(rowsOf(readGuide()).find(([of]) => of === name)).toEqual(row);
});

test('the guide has a row for every provider that can be connected', () => {
  expect(SLUGS.toSorted()).toEqual(Object.keys(IMPORTERS).toSorted());
  expect(rowsOf(readGuide()).map(([name]) => name)).toEqual(NAMES);
});
