import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';
import { credentialsFile, type Credentials } from '../../credentials.ts';
import { inTransaction } from '../../db/transaction.ts';
import { createTeamKey } from '../keys/create-team-key.ts';
import { createOrg } from './create.ts';
import { createTeam } from '../teams/create.ts';

/**
 * Gives an empty sandbox its first organisation, team and keys; null where there is an organisation already.
 * The file is written before the commit: a crash in between leaves a file that the next start writes anew,
 * never an organisation whose keys nobody has.
 */
export function bootstrapSandbox(ctx: Ctx, dataDir: string): Promise<Credentials | null> {
  return inTransaction(ctx, async (ctx) => {
    await sql`select pg_advisory_xact_lock(hashtext('phial bootstrap'))`.execute(ctx.db);
    if (await ctx.db.selectFrom('orgs').select('id').limit(1).executeTakeFirst()) {
      keepAddress(ctx.config.baseUrl, credentialsFile(dataDir));
      return null;
    }
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
    writePrivately(credentialsFile(dataDir), `${JSON.stringify(credentials, null, 2)}\n`);
    return credentials;
  });
}

/** A sandbox that is started on another port is found by its credentials all the same. */
function keepAddress(baseUrl: string, file: string): void {
  if (!existsSync(file)) return;
  const credentials = JSON.parse(readFileSync(file, 'utf8')) as Credentials;
  if (credentials.base_url !== baseUrl)
    writePrivately(file, `${JSON.stringify({ ...credentials, base_url: baseUrl }, null, 2)}\n`);
}

function writePrivately(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
