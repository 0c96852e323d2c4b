import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '@phial/embedded-postgres/open';
import pg from 'pg';

const dataDir = mkdtempSync(join(tmpdir(), 'example-'));
const server = await openEmbedded({
  dataDir,
  applicationName: 'example',
  lock: 'required',
  log: { info: () => undefined, warn: console.error, error: console.error },
});
const client = new pg.Client({ connectionString: server.serviceUrl });
await client.connect();
console.log((await client.query('select 1 + 1 as sum')).rows);
await client.end();
await server.stop();
rmSync(dataDir, { recursive: true });
