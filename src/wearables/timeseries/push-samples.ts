import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import { ensureConnection } from '../connections/connect.ts';
import { asWriter } from '../user-writer.ts';
import type { ProviderSlug } from '../providers/provider-catalogue.ts';
import { refusePulled } from '../refuse-pulled.ts';
import { toSampleOfSource, withinBounds } from './to-sample-of-source.ts';
import type { SampleInputValue } from './sample-input.ts';
import type { StoredSamples } from './schemas.ts';
import { storeSamples } from './store-samples.ts';

/**
 * Stores the samples that an app or a device sends for one user. Throws sample_of_other_user if a sample names another
 * user, and provider_not_pushable.
 */
export async function pushSamples(
  ctx: TeamCtx,
  userId: string,
  inputs: SampleInputValue[],
): Promise<Static<typeof StoredSamples>> {
  refusePulled(ctx, 'push', inputs);
  refuseOtherUsers(userId, inputs);
  return asWriter(ctx, { user_id: userId, origin: 'live' }, async (tx, user) => {
    await refuseUnknownDevices(tx, user, inputs);
    await tx.giveWay?.();
    const samples = inputs.map(toSampleOfSource);
    const within = withinBounds(user, samples);
    const counts = await storeSamples(tx, user, within, async (streams) => {
      const unconnected = streams.flatMap(({ provider, connected }) => (connected ? [] : [provider]));
      for (const provider of new Set(unconnected)) await ensureConnection(tx, user, provider as ProviderSlug);
    });
    return { ...counts, outside_ingestion_bounds: samples.length - within.length };
  });
}

function refuseOtherUsers(userId: string, inputs: SampleInputValue[]): void {
  const isOther = ({ user_id }: SampleInputValue): boolean => (user_id ?? userId) !== userId;
  if (!inputs.some(isOther)) return;
  const detail = inputs.flatMap((input, index) =>
    !isOther(input)
      ? []
      : [{ type: 'value_error', loc: ['body', index, 'user_id'], msg: 'Value should be the user of the path' }],
  );
  throw new AppError('sample_of_other_user', 'A batch can contain samples of one user only.', {
    detail: detail.slice(0, 100),
  });
}

/** Throws if an id is no device of this user. Pushes of summaries check the same. */
async function refuseUnknownDevices(
  { db, team }: TxCtx<TeamCtx>,
  user: { id: string },
  inputs: SampleInputValue[],
): Promise<void> {
  if (!inputs.some(({ device_id }) => device_id)) return;
  const named = [...new Set(inputs.flatMap(({ device_id }) => device_id ?? []))];
  const { rows } = await sql`
    select from summaries
     where user_id = ${user.id} and team_id = ${team.id} and resource = 'device'
       and id = any (${named}::uuid[])`.execute(db);
  if (rows.length < named.length) throw notFound('Device');
}
