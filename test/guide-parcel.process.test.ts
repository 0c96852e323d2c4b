import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../src/db/transaction.ts';
import { lockOrder } from '../src/labs/orders/load.ts';
import { storeShipment } from '../src/labs/orders/testkit/ship.ts';
import { startTestApp, type TestApp } from './app.ts';
import { orderKit } from './factories.ts';
import { teamCtx } from './team-ctx.ts';

const SECRET = 'secret-of-the-guide';
const missing = ['curl', 'openssl'].find((program) => spawnSync(program, ['--help']).error);

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_CARRIER_WEBHOOK_SECRETS: SECRET });
});
afterAll(() => app.close());

test.skipIf(missing)(
  `the commands of the guide to parcels bring a kit to its user${missing ? ` (skipped: there is no ${missing})` : ''}`,
  async () => {
    const { id } = await orderKit(app.team);
    const NUMBER = '9400111200000000000042';
    await inTransaction(await teamCtx(app.ctx, app.team.id), async (tx) =>
      storeShipment(tx, await lockOrder(tx, id), { outbound_tracking_number: NUMBER, outbound_courier: 'usps' }),
    );
    const guide = readFileSync('docs/guides/follow-a-parcel.md', 'utf8');
    const commands = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, lines]) => `${lines}\necho`);
    const env = { ...process.env, BASE: app.baseUrl, KEY: app.team.api_key, SECRET, NUMBER, ORDER_ID: id };
    let isDone = false;
    const running = promisify(execFile)('sh', ['-ec', commands.join('\n')], { env }).finally(() => (isDone = true));
    while (!isDone) await app.runJobs();
    const answers = (await running).stdout.split('\n').filter((line) => line.startsWith('{'));
    expect(answers.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { received: true },
      {
        id,
        last_event: { status: 'collecting_sample.testkit.with_customer' },
        details: { data: { shipment: { outbound_tracking_number: NUMBER } } },
      },
    ]);
  },
);
