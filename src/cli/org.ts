import { readEnvironment } from '../config/environment.ts';
import { parseConfig } from '../config/options.ts';
import type { Ctx } from '../context.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { MIGRATIONS } from '../db/place.ts';
import { newTeam } from '../new-team.ts';
import { claimCipher } from '../privacy/claim-cipher.ts';
import { createOrg, type Plan } from '../tenancy/orgs/create.ts';
import { setPlan } from '../tenancy/orgs/set-plan.ts';
import { withPlace } from './database.ts';

export function bootstrapCommand({ org, plan }: { org: string; plan: Plan }): Promise<number> {
  return withCtx('bootstrap', async (ctx) => {
    const { org_id, management_key } = await createOrg(ctx, { name: org, plan });
    console.log(JSON.stringify({ org_id, management_key }, null, 2));
    console.error(
      'The management key is shown this once. It makes teams and their API keys: POST /v1/org/{org_id}/team.',
    );
    return 0;
  });
}

export function setPlanCommand({ org, plan }: { org: string; plan: Plan }): Promise<number> {
  return withCtx('set-plan', async (ctx) => {
    await setPlan(ctx, { org_id: org, plan });
    console.log(`The organisation is on plan ${plan} now.`);
    return 0;
  });
}

function withCtx<T>(name: string, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  return withPlace(name, async (place, log) => {
    const { config, secrets } = parseConfig(readEnvironment());
    await migrate({ ownerUrl: place.ownerUrl, directory: MIGRATIONS });
    const database = openDatabase({ url: place.url, poolSize: 2, role: 'phial_app', log });
    try {
      const cipher = await claimCipher(database.db, config, secrets);
      return await work({ config, db: database.db, log, cipher, newTeam });
    } finally {
      await database.close();
    }
  });
}
