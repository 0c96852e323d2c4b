import { createOrg, type Plan } from '../tenancy/orgs/create.ts';
import { setPlan } from '../tenancy/orgs/set-plan.ts';
import { withCtx } from './with-ctx.ts';

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
