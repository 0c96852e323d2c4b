import { createOrg, type Plan } from '../tenancy/orgs/create.ts';
import { setPlan } from '../tenancy/orgs/set-plan.ts';
import { withChange } from './with-change.ts';

export function bootstrapCommand({ org, plan }: { org: string; plan: Plan }): Promise<number> {
  return withChange('bootstrap', async (ctx) => {
    const { org_id, management_key, management_key_id } = await createOrg(ctx, { name: org, plan });
    const tell = (): void => {
      console.log(JSON.stringify({ org_id, management_key }, null, 2));
      console.error(
        'The management key is shown this once. It makes teams and their API keys: POST /v1/org/{org_id}/team.',
      );
    };
    return { org_id, records: [org_id, management_key_id], tell };
  });
}

export function setPlanCommand({ org, plan }: { org: string; plan: Plan }): Promise<number> {
  return withChange('org set-plan', async (ctx) => {
    await setPlan(ctx, { org_id: org, plan });
    return { org_id: org, records: [org], tell: () => console.log(`The organisation is on plan ${plan} now.`) };
  });
}
