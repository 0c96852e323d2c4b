import { parseArgs } from 'node:util';
import { readEnvironment } from '../config/environment.ts';
import { parseConfig } from '../config/options.ts';
import type { Ctx } from '../context.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { MIGRATIONS } from '../db/place.ts';
import { claimCipher } from '../privacy/claim-cipher.ts';
import { createOrg, type Plan } from '../tenancy/orgs/create.ts';
import { setPlan } from '../tenancy/orgs/set-plan.ts';
import { withPlace } from './database.ts';

const PLANS = ['launch', 'grow', 'scale'] as const;

export function bootstrapCommand(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { org: { type: 'string' }, plan: { type: 'string', default: 'scale' } },
  });
  if (!values.org) throw new Error('bootstrap needs --org NAME.');
  const input = { name: values.org, plan: readPlan(values.plan) };
  return withCtx('bootstrap', async (ctx) => {
    const { org_id, management_key } = await createOrg(ctx, input);
    console.log(JSON.stringify({ org_id, management_key }, null, 2));
    console.error(
      'The management key is shown this once. It makes teams and their API keys: POST /v1/org/{org_id}/team.',
    );
    return 0;
  });
}

export function setPlanCommand(args: string[]): Promise<number> {
  const [verb, ...rest] = args;
  if (verb !== 'set-plan') throw new Error('org takes set-plan --org ID --plan launch|grow|scale.');
  const { values } = parseArgs({ args: rest, options: { org: { type: 'string' }, plan: { type: 'string' } } });
  if (!values.org || !values.plan) throw new Error('org set-plan needs --org ID and --plan launch|grow|scale.');
  const input = { org_id: values.org, plan: readPlan(values.plan) };
  return withCtx('set-plan', async (ctx) => {
    await setPlan(ctx, input);
    console.log(`The organisation is on plan ${input.plan} now.`);
    return 0;
  });
}

function readPlan(text: string): Plan {
  const plan = PLANS.find((name) => name === text);
  if (!plan) throw new Error(`--plan must be one of ${PLANS.join(', ')}.`);
  return plan;
}

function withCtx<T>(name: string, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  return withPlace(name, async (place, log) => {
    const { config, secrets } = parseConfig(readEnvironment());
    await migrate({ ownerUrl: place.ownerUrl, directory: MIGRATIONS });
    const database = openDatabase({ url: place.url, poolSize: 2, role: 'phial_app', log });
    try {
      const cipher = await claimCipher(database.db, config, secrets);
      return await work({ config, db: database.db, log, cipher });
    } finally {
      await database.close();
    }
  });
}
