// Triggers every event of the catalogue against a whole service, and looks for it in the feed and at an endpoint.
import { openPhial } from '@phial/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEndpoint, type Endpoint } from '../../../test/endpoint.ts';
import { subscribe } from '../../../test/factories.ts';
import { endPrograms, makeDatabase, readCredentials, teamAt, type Ran } from '../../../test/program.ts';
import { runHere } from '../../../test/run-here.ts';
import { serveHere, type Served } from '../../../test/serve-here.ts';
import { startTestApp, type Team } from '../../../test/test-app.ts';
import { eventNames } from '../../event-catalogue.ts';
import { OPERATIONAL_NAMES } from '../../events/names.ts';
import { play } from './play.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

let service: Served;
let team: Team;
let endpoint: Endpoint;
beforeAll(async () => {
  [service, endpoint] = await Promise.all([
    makeDatabase().then((DATABASE_URL) => serveHere({ env: { DATABASE_URL } })),
    startEndpoint(),
  ]);
  team = teamAt(service);
});
afterAll(async () => {
  await service.stop();
  await endpoint.close();
  await endPrograms();
});

const run = (args: string[]): Promise<Ran> => runHere(['trigger', ...args], { dataDir: service.dataDir });

/** As many at a time as a developer would never do. */
const AT_ONCE = 4;
const PATIENCE_MS = 120_000;
/** All events. Those about endpoints have to be named. */
const FILTERS = [...new Set(eventNames.map((type) => `${type.split('.')[0]}.*`)), ...OPERATIONAL_NAMES].filter(
  (type) => !/^(message|endpoint)\.\*$/.test(type),
);

describe('every event of the catalogue', () => {
  const triggerable = [...SCENARIOS].filter((each): each is [string, Scenario] => 'play' in each[1]);

  test('is published by the real thing, and comes in the feed and to an endpoint', async () => {
    await subscribe(team, endpoint, FILTERS);
    const {
      base_url: baseUrl,
      team_api_key: apiKey,
      management_key,
      org_id,
      team_id,
    } = readCredentials(service.dataDir);
    const phial = openPhial({ baseUrl, apiKey });
    const manager = openPhial({ baseUrl, managementKey: management_key });
    const manage = () => Promise.resolve({ manager, path: { org_id, team_id, environment: 'sandbox' as const } });
    const waiting = [...triggerable];
    const failed: string[] = [];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = waiting.pop(); next; next = waiting.pop()) {
          const [type, scenario] = next;
          try {
            const event = await play({ phial, manage, type, scenario, patienceMs: PATIENCE_MS });
            if (event?.event_type !== type) failed.push(`${type}: not published`);
          } catch (error) {
            failed.push(`${type}: ${(error as Error).message}`);
          }
        }
      }),
    );
    expect(failed).toEqual([]);
    const delivered = (): string[] => [...new Set(endpoint.received.map(({ body }) => body.event_type))];
    const expected = triggerable.map(([type]) => type);
    await expect
      .poll(() => expected.filter((type) => !delivered().includes(type)), { timeout: 60_000, interval: 200 })
      .toEqual([]);
  }, 1_200_000);
});

describe('phial trigger', () => {
  test('prints the event that it caused', async () => {
    const { code, stdout } = await run(['labtest.result.critical', '--json']);
    expect(code).toBe(0);
    const event = JSON.parse(stdout) as { event_type: string; body: { data: { interpretation: string } } };
    expect(event).toMatchObject({
      event_type: 'labtest.result.critical',
      body: { data: { interpretation: 'critical' } },
    });
    const plain = await run(['labtest.order.created']);
    expect([plain.code, plain.stdout]).toEqual([0, expect.stringMatching(/^\S+Z labtest\.order\.created \S+\n$/)]);
  });

  test('lists all events with what happens', async () => {
    const { stdout } = await run(['--list']);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(' ')[0]),
    ).toEqual(eventNames);
    expect(stdout).toMatch(/^message\.attempt\.exhausted +Cannot be triggered\. It comes after the last retry/m);
    const { events } = JSON.parse((await run(['--list', '--json'])).stdout) as { events: object[] };
    expect(events).toHaveLength(eventNames.length);
  });

  test('says why it cannot trigger an event, and suggests the name that was meant', async () => {
    const never = await run(['provider.connection.error']);
    expect([never.code, never.output]).toEqual([1, expect.stringContaining('phial demo-clinic publishes one')]);
    const misspelled = await run(['labtest.order.craeted']);
    expect([misspelled.code, misspelled.output]).toEqual([
      2,
      expect.stringContaining('Did you mean labtest.order.created?'),
    ]);
    expect((await run([])).code).toBe(2);
  });

  test('makes nobody in production', async () => {
    const production = await startTestApp({
      PHIAL_ENVIRONMENT: 'production',
      PHIAL_BASE_URL: 'https://api.example.com',
    });
    try {
      const args = ['trigger', 'labtest.order.created', '--url', production.baseUrl, '--key', production.team.api_key];
      const { code, output } = await runHere(args);
      expect([code, output]).toEqual([1, expect.stringContaining('phial trigger works in a sandbox only')]);
      const { body } = await production.api<{ total: number }>('GET', '/v2/user');
      expect(body.total).toBe(0);
    } finally {
      await production.close();
    }
  });
});
