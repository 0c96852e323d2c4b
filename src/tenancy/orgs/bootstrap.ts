import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../../context.ts';
import { readAllCredentials, writeCredentials, type Credentials } from '../../first-keys-file.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockName } from '../../db/session/named-lock.ts';
import { createTeamKey } from '../keys/create-team-key.ts';
import { createTeam } from '../teams/create.ts';
import { createSignInLink, PRINTED_LINK_SECONDS } from '../sessions/create-sign-in-link.ts';
import { operatorOf } from '../sessions/person.ts';
import { createOrg } from './create.ts';

/** The first keys of a sandbox, as they are stored in the data directory. */
export type FirstKeys = {
  credentials: Credentials;
  isNew: boolean;
  /** A link with which the operator signs in once. Null if the sandbox is not new. */
  signInUrl: string | null;
};

/**
 * Creates the first organisation, team and keys of an empty sandbox. If the sandbox is not empty, returns the keys of
 * its first start, or null if the data directory has no keys for this database. It writes the file with the keys before
 * the commit. If the process crashes in between, the next start replaces the file. If we wrote the file after the
 * commit, a crash in between could leave an organisation whose keys are lost.
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
    const { url } = await createSignInLink(ctx, operatorOf(org.org_id), PRINTED_LINK_SECONDS);
    return { credentials, isNew: true, signInUrl: url };
  });
}

/**
 * Returns the stored keys that belong to this database. One data directory can have keys of several databases. We
 * compare the organisation, so that we find the keys even if the port of the sandbox has changed.
 */
async function findFirstKeysOrNull(ctx: TxCtx, dataDir: string): Promise<FirstKeys | null> {
  const stored = readAllCredentials(dataDir);
  const here = await ctx.db
    .selectFrom('orgs')
    .select('id')
    .where(sql<boolean>`id = any (${stored.map(({ org_id }) => org_id)}::uuid[])`)
    .execute();
  const found = stored.find(({ org_id }) => here.some(({ id }) => id === org_id));
  if (!found) return null;
  const credentials = { ...found, base_url: ctx.config.baseUrl };
  if (found !== stored[0] || found.base_url !== credentials.base_url) writeCredentials(dataDir, credentials);
  return { credentials, isNew: false, signInUrl: null };
}
