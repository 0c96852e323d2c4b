import { sql } from 'kysely';
import type { Ctx } from '../../../context.ts';
import type { Configured } from '../applications/configured.ts';

/**
 * The provider's id of this deployment's subscription: as the operator says, else as it was made or found here. Null where it
 * is not known: before it was looked at, or where no provider can reach this deployment and the operator says nothing.
 */
export async function subscriptionIdOf({ db, config }: Ctx, { connector, client }: Configured): Promise<string | null> {
  if (client.subscriptionId !== null) return client.subscriptionId;
  const { rows } = await sql<{ external_id: string | null }>`
    select external_id from application_subscriptions
     where provider = ${connector.slug} and base_url = ${config.baseUrl} and client_id = ${client.id}`.execute(db);
  return rows[0]?.external_id ?? null;
}
