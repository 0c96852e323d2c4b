import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../../context.ts';
import { readAllCredentials, writeCredentials, type Credentials } from '../../credentials.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockName } from '../../db/session/named-lock.ts';
import { createTeamKey } from '../keys/create-team-key.ts';
import { createTeam } from '../teams/create.ts';
import { createOrg } from './create.ts';

/** The keys that a sandbox began with, as the data directory keeps them. */
export type FirstKeys = { credentials: Credentials; isNew: boolean };

/**
 * Gives an empty sandbox its first organisation, team and keys, or finds those of its first start; null where the data
 * directory keeps none of this database. The file is written before the commit: a crash in between leaves a file that
 * the next start writes anew, never an organisation whose keys nobody has.
 */
export function bootstrapSandbox(ctx: Ctx, dataDir: string): Promise<FirstKeys | null> {
  return inTransaction(acrossTeams(ctx), async (ctx) => {
    await lockName(ctx.db, 'bootstrap');
    if (await ctx.db.selectFrom('orgs').select('id').limit(1).executeTakeFirst())
      return findFirstKeysOrNull(ctx, dataDir);
    const org = await createOrg(ctx, { name: 'Sandbox', plan: 'scale' });
    const team = await createTeam(ctx, { org_id: org.org_id, name: 'Sandbox team' });
    const key = await createTeamKey(ctx, { team_id: team.id, label: 'first key' });
    const credentials = {
      base_url: ctx.config.baseUrl,
      org_id: org.org_id,
      team_id: team.id,
      team_api_key: key.value,
      management_key: org.management_key,
    };
    writeCredentials(dataDir, credentials);
    return { credentials, isNew: true };
  });
}

/** One data directory may have served several databases; a sandbox on another port is found by its file all the same. */
async function findFirstKeysOrNull(ctx: TxCtx, dataDir: string): Promise<FirstKeys | null> {
  const kept = readAllCredentials(dataDir);
  const here = await ctx.db
    .selectFrom('orgs')
    .select('id')
    .where(sql<boolean>`id = any (${kept.map(({ org_id }) => org_id)}::uuid[])`)
    .execute();
  const found = kept.find(({ org_id }) => here.some(({ id }) => id === org_id));
  if (!found) return null;
  const credentials = { ...found, base_url: ctx.config.baseUrl };
  if (found !== kept[0] || found.base_url !== credentials.base_url) writeCredentials(dataDir, credentials);
  return { credentials, isNew: false };
}
