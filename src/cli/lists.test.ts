import { afterEach, expect, test } from 'vitest';
import { endPrograms, makeDatabase } from '../../test/program.ts';
import { runHere } from '../../test/run-here.ts';

afterEach(endPrograms);

const NOBODY = '01940000-0000-7000-8000-000000000001';

test('an operator finds the ids of organisations and teams, and holds messages to a laboratory', async () => {
  const env = { DATABASE_URL: await makeDatabase() };
  const run = (...args: string[]) => runHere(args, { env });
  const { stdout } = await run('bootstrap', '--org', 'Desert Health', '--plan', 'grow');
  const { org_id } = JSON.parse(stdout) as { org_id: string };
  const linesOf = (text: string): unknown[] =>
    text
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown);
  const orgs = await run('org', 'list');
  expect(linesOf(orgs.stdout)).toContainEqual(expect.objectContaining({ org_id, name: 'Desert Health', plan: 'grow' }));
  const teams = await run('team', 'list', '--org', org_id);
  expect([teams.code, linesOf(teams.stdout), teams.output]).toEqual([0, [], 'There are no such teams.\n']);
  expect((await run('team', 'list', '--org', NOBODY)).code).not.toBe(0);
  const neither = await run('hl7', 'hold');
  expect([neither.code, neither.output]).toEqual([
    2,
    expect.stringContaining('phial hl7 hold takes --outbox or --lab.'),
  ]);
  const unknown = await run('hl7', 'release', '--lab', 'nowhere');
  expect([unknown.code, unknown.output]).toEqual([1, expect.stringContaining('No laboratory nowhere is connected.')]);
  const waitsNot = await run('hl7', 'hold', '--outbox', NOBODY);
  expect([waitsNot.code, waitsNot.output]).toEqual([1, expect.stringContaining('No waiting message to a laboratory')]);
}, 120_000);
