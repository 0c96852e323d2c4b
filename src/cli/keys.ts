import { listManagementKeys } from '../tenancy/keys/list-management-keys.ts';
import { createManagementKey } from '../tenancy/keys/create-management-key.ts';
import { toManagementKey, type ManagementKeyRow } from '../tenancy/keys/render-management-key.ts';
import { revokeManagementKey } from '../tenancy/keys/revoke-management-key.ts';
import { findOrg } from '../tenancy/orgs/find.ts';
import { printDone, printJson } from './print.ts';
import { withChange } from './with-change.ts';
import { withCtx } from './with-ctx.ts';

export function listKeysCommand({ org }: { org: string }): Promise<number> {
  return withCtx('org keys list', async (ctx) => {
    await findOrg(ctx, org);
    const keys: ManagementKeyRow[] = [];
    let next_cursor: string | null = null;
    do {
      const page = await listManagementKeys(ctx, org, { team_id: null, role: null, next_cursor });
      keys.push(...page.keys);
      next_cursor = page.next_cursor;
    } while (next_cursor !== null);
    printJson(keys.map(toManagementKey));
    return 0;
  });
}

type NewKey = { org: string; label: string; team: string | undefined; json: boolean };

export function createKeyCommand({ org, label, team, json }: NewKey): Promise<number> {
  return withChange('org keys create', async (ctx) => {
    await findOrg(ctx, org);
    const { value, ...key } = await createManagementKey(ctx, {
      org_id: org,
      label,
      ...(team ? { role: 'team_admin', team_ids: [team] } : { role: 'org_admin', team_ids: null }),
    });
    const printResult = (): void => {
      printJson({ ...toManagementKey(key), key: value });
      if (!json) console.error('This is the only time that Phial shows the key.');
    };
    return { org_id: org, team_id: team, records: [key.id], printResult };
  });
}

type RevokedKey = { org: string; key: string; json: boolean };

export function revokeKeyCommand({ org, key: id, json }: RevokedKey): Promise<number> {
  return withChange('org keys revoke', async (ctx) => {
    await findOrg(ctx, org);
    const key = await revokeManagementKey(ctx, org, id, { lastToo: true });
    const message = key
      ? `Phial refuses the key ${key.key_start}… (${key.label}) from now on.`
      : 'It was revoked already.';
    const printResult = (): void => printDone(json, message, { key_id: id, is_revoked: true });
    return { org_id: org, records: [id], printResult };
  });
}
