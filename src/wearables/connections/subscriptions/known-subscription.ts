import { sql } from 'kysely';
import type { Ctx } from '../../../context.ts';
import type { Configured } from '../applications/configured.ts';

/**
 * Returns the provider's id of this deployment's subscription. This is the id that the operator has set, else the id
 * that this deployment received from the provider. Returns null if there is none: before the first check, or if no
 * provider can reach this deployment and the operator has set no id.
 */
export async function subscriptionIdOf({ db, config }: Ctx, { connector, client }: Configured): Promise<string | null> {
  if (client.subscriptionId !== null) return client.subscriptionId;
  const { rows } = await sql<{ external_id: string | null }>`
    select external_id from application_subscriptions
     where provider = ${connector.slug} and base_url = ${config.baseUrl} and client_id = ${client.id}`.execute(db);
  return rows[0]?.external_id ?? null;
}
