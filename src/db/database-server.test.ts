import { inject, expect, test } from 'vitest';
import { parseConfig } from '../config/options.ts';
import { openLog } from '../log.ts';
import { openDatabaseServer } from './database-server.ts';

const local = inject('serverUrl');
const remote = 'postgres://phial@db.example.invalid/phial';

test.each([
  ['DATABASE_URL', { DATABASE_URL: remote }],
  ['PHIAL_OWNER_DATABASE_URL', { DATABASE_URL: local, PHIAL_OWNER_DATABASE_URL: remote }],
])('production opens no database whose %s connects to another machine without TLS', async (name, urls) => {
  const { config, secrets } = parseConfig({
    PHIAL_ENVIRONMENT: 'production',
    PHIAL_LOOKUP_KEY: Buffer.alloc(32, 1).toString('base64'),
    PHIAL_ENCRYPTION_KEYS: `1:${Buffer.alloc(32, 2).toString('base64')}`,
    ...urls,
  });
  const opened = openDatabaseServer({
    config,
    secrets,
    applicationName: 'test',
    lock: 'if-free',
    log: openLog('silent'),
  });
  await expect(opened).rejects.toThrow(new RegExp(`^${name} connects to another machine without TLS`));
});
