import { test } from 'vitest';
import { startTestApp } from '../../test/app.ts';
test('s', async () => {
  const app = await startTestApp();
  for (const d of ['2026-01-01T00:00:00+99:99','2026-01-01T00:00:00+16:00','2026-01-01T00:00:00-15:59','2026-01-01 00:00','2026-01-01t00:00z','2026-01-01T00:00:00.123456789Z','9999-12-31T23:59:59Z','0001-01-01'])
    console.log(d, (await app.api<any>('GET', '/v3/orders?start_date=' + encodeURIComponent(d))).status);
  await app.close();
});
