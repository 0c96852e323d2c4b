import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser } from './factories.ts';
import { makeArchive } from './make-archive.ts';
import { endPrograms, makeDatabase, makeFolder, teamAt } from './program.ts';
import { serveHere, type Served } from './serve-here.ts';

const curl = spawnSync('curl', ['--version']).status === 0;

let service: Served;
beforeAll(async () => {
  service = await serveHere({ env: { DATABASE_URL: await makeDatabase() } });
});
afterAll(async () => {
  await service.stop();
  await endPrograms();
});

const EXPORT = `<?xml version="1.0" encoding="UTF-8"?>
<HealthData locale="en_US">
 <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min"
  startDate="2026-01-05 08:00:00 -0700" endDate="2026-01-05 08:00:00 -0700" value="61"/>
</HealthData>`;

test.skipIf(!curl)(
  `the commands of the guide to importing a file send it, and wait for it${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const team = teamAt(service);
    const { user_id } = await makeUser(team);
    const folder = makeFolder();
    writeFileSync(
      join(folder, 'export.zip'),
      makeArchive([{ name: 'apple_health_export/export.xml', content: EXPORT }]),
    );
    const guide = readFileSync('docs/guides/import-a-file.md', 'utf8');
    const commands = [...guide.matchAll(/^ *```sh\n([^]*?)^ *```/gm)].map(([, lines]) => lines);
    expect(commands).toHaveLength(2);
    // The text of the guide says to repeat its last request.
    const [send = '', ask = ''] = commands;
    const repeated = [
      'for _ in $(seq 120); do',
      `ANSWER=$(${ask.trim()})`,
      'case $ANSWER in *success*|*failure*) break;; esac',
      'sleep 0.5',
      'done',
      'echo "$ANSWER"',
    ].join('\n');
    const env = { ...process.env, BASE_URL: service.baseUrl, USER_ID: user_id, TEAM_API_KEY: team.api_key };
    const { stdout } = await promisify(execFile)('sh', ['-ec', `${send}\n${repeated}`], { cwd: folder, env });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'success', created: 1 });
  },
  120_000,
);
