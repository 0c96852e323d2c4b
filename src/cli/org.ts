import { MAX_RECORDS } from '../audit/entry.ts';
import { listInvites } from '../tenancy/members/invites/list.ts';
import { inviteUrl } from '../tenancy/members/invites/mail.ts';
import type { Plan } from '../plans.ts';
import { createOrg } from '../tenancy/orgs/create.ts';
import { findOrg } from '../tenancy/orgs/find.ts';
import { listOrgs } from '../tenancy/orgs/list.ts';
import { setPlan } from '../tenancy/orgs/set-plan.ts';
import { printDone, printJson, printRecords } from './print.ts';
import { withChange } from './with-change.ts';
import { withCtx } from './with-ctx.ts';

export function bootstrapCommand({ org, plan, json }: PlanValues): Promise<number> {
  return withChange('bootstrap', async (ctx, { embedded, dataDir }) => {
    const { org_id, management_key, management_key_id } = await createOrg(ctx, { name: org, plan });
    const printResult = (): void => {
      printJson({ org_id, management_key });
      if (json) return;
      const database = embedded ? `the embedded PostgreSQL in ${dataDir}` : 'the database of DATABASE_URL';
      const { environment, region } = ctx.config;
      console.error(
        `The organisation is in ${environment} ${region}, on ${database}.\n` +
          'This is the only time that Phial shows the management key. It makes teams and their API keys: POST ' +
          '/v1/org/{org_id}/team.',
      );
    };
    return { org_id, records: [org_id, management_key_id], printResult };
  });
}

export function listOrgsCommand({ json }: { json: boolean }): Promise<number> {
  return withCtx('org list', async (ctx) => {
    printRecords(json, 'organisations', await listOrgs(ctx));
    return 0;
  });
}

type PlanValues = { org: string; plan: Plan; json: boolean };

export function setPlanCommand({ org, plan, json }: PlanValues): Promise<number> {
  return withChange('org set-plan', async (ctx) => {
    await setPlan(ctx, { org_id: org, plan });
    const printResult = (): void => printDone(json, `The organisation is on plan ${plan} now.`, { org_id: org, plan });
    return { org_id: org, records: [org], printResult };
  });
}

/**
 * Prints the links of all open invites, for operators without a mail server. The output is personal data, so each run
 * writes an audit line.
 */
export function invitesCommand({ org, json }: { org: string; json: boolean }): Promise<number> {
  return withChange('org invites', async (ctx) => {
    await findOrg(ctx, org);
    const invites: object[] = [];
    const records: string[] = [];
    let next_cursor: string | null = null;
    do {
      const page = await listInvites(ctx, org, { search_query: null, next_cursor });
      for (const { id, email, role, invited_at } of page.invites) {
        records.push(id);
        invites.push({ id, email, role, invited_at, link: inviteUrl(ctx, org, { id }) });
      }
      next_cursor = page.next_cursor;
    } while (next_cursor !== null);
    return {
      org_id: org,
      records: records.slice(0, MAX_RECORDS),
      printResult: () => printRecords(json, 'invites', invites),
    };
  });
}
