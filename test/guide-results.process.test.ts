import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './test-app.ts';
import { patientDetails, registeredKit } from './factories.ts';

const curl = spawnSync('curl', ['--version']).status === 0;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
const folder = mkdtempSync(join(tmpdir(), 'phial-guide-'));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await app.close();
});

test.skipIf(!curl)(
  `the commands of the guide to results work${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const order = await registeredKit(app.team);
    const lost = await registeredKit(app.team, { patient_details: { ...patientDetails, last_name: 'Unmatched' } });
    const guide = readFileSync('docs/guides/read-results.md', 'utf8');
    const commands = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, lines]) =>
      lines?.replaceAll(/^(curl (?:.*\\\n)*.*)$/gm, '$1\necho'),
    );
    const env = { ...process.env, BASE_URL: app.baseUrl, TEAM_API_KEY: app.team.api_key };
    const given = { ...env, ORDER_ID: order.id, LOST_ORDER_ID: lost.id };
    const { stdout } = await promisify(execFile)('sh', ['-ec', commands.join('\n')], { env: given, cwd: folder });
    for (const name of ['report', 'requisition', 'labels'])
      expect(readFileSync(join(folder, `${name}.pdf`), 'latin1')).toMatch(/^%PDF-/);
    const answers = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { results?: { status: string; previous_result: string | null }[] });
    expect(answers).toMatchObject([
      { metadata: { interpretation: 'critical', status: 'final' }, missing_results: [{}] },
      { metadata: { status: 'final' } },
      { id: lost.id, status: 'completed' },
    ]);
    expect(answers[1]?.results?.some(({ previous_result }) => previous_result !== null)).toBe(true);
  },
);
