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
  // The first poll asks once for some things that later polls do not ask for again.
  await refresh(app, team, user_id);
  provider.asked.length = 0;
  expect((await refresh(app, team, user_id)).body.refreshed_sources).toEqual([slug]);
  return { first, poll: provider.asked.length };
}

test('the guide has the number of requests to each provider', async () => {
  expect(Object.keys(DOCUMENTED).toSorted()).toEqual(Object.keys(IMPORTERS).toSorted());
  const lines: string[] = [HEAD, '|---|---:|---:|---:|---:|---:|'];
  for (const slug of Object.keys(DOCUMENTED) as ProviderSlug[]) {
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
