import { readEnvironment } from '../config/read-environment.ts';
import { AppError } from '../errors.ts';
import { DASHBOARD, hasDashboard, NO_DASHBOARD } from '../package-root.ts';
import { findOrg } from '../tenancy/orgs/find.ts';
import { listOrgs } from '../tenancy/orgs/list.ts';
import { createSignInLink, PRINTED_LINK_SECONDS } from '../tenancy/sessions/create-sign-in-link.ts';
import { operatorOf } from '../tenancy/sessions/person.ts';
import { baseUrlHere } from './find-service.ts';
import { printDone } from './print.ts';
import { withChange } from './with-change.ts';

/** Prints a link with which the operator signs in to the dashboard once. */
export function signInLinkCommand({ org, json }: { org: string | undefined; json: boolean }): Promise<number> {
  return withChange('sign-in-link', async (ctx) => {
    const orgs = await listOrgs(ctx);
    const { id: org_id } = await (org === undefined ? oldestOf(orgs) : findOrg(ctx, org));
    const baseUrl = baseUrlHere(
      readEnvironment(),
      orgs.map((each) => each.org_id),
    );
    const here = { ...ctx, config: { ...ctx.config, baseUrl } };
    const { id, url } = await createSignInLink(here, operatorOf(org_id), PRINTED_LINK_SECONDS);
    const printResult = (): void => {
      printDone(json, url, { org_id, url });
      console.error('The link works once, within an hour. Whoever has it can do everything in the organisation.');
      if (!hasDashboard(DASHBOARD)) console.error(NO_DASHBOARD);
    };
    return { org_id, records: [id], printResult };
  });
}

function oldestOf([oldest]: { org_id: string }[]): { id: string } {
  if (!oldest) throw new AppError('not_found', 'There is no organisation yet. Make one with `phial bootstrap`.');
  return { id: oldest.org_id };
}
