import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { ensureConnection } from '../connections/connect.ts';
import { asWriter } from '../user-writer.ts';
import type { ProviderSlug } from '../providers/provider-catalogue.ts';
import { refusePulled } from '../refuse-pulled.ts';
import { refuseTooManyNaming } from './refuse-too-many-naming.ts';
import type { SummaryItem, SummaryResource } from './resource.ts';
import type { PushAnswer } from './schemas.ts';
import { storeSummaries, type Outcome } from './store-summaries.ts';

/**
 * Stores the summaries that an app or a device sends: all of them, or none. Throws provider_not_pushable,
 * limit_reached.
 */
export function pushSummaries(
  ctx: TeamCtx,
  userId: string,
  resource: SummaryResource,
  sent: SummaryItem[],
): Promise<Static<typeof PushAnswer>> {
  refusePulled(ctx, 'push', sent);
  return asWriter(ctx, { user_id: userId, origin: 'live' }, async (ctx, user) => {
    const items = await storeSummaries(
      ctx,
      user,
      resource,
      sent.map((item) => ({ item, raw: payloadOf(item, resource) })),
    );
    if (items.some(({ outcome }) => outcome === 'created')) await refuseTooManyNaming(ctx, user, resource, sent);
    const taken = sent.filter((_, n) => items[n]?.outcome !== 'outside_ingestion_bounds');
    for (const provider of new Set(taken.map((each) => each.provider as ProviderSlug)))
      await ensureConnection(ctx, user, provider);
    const count = (which: Outcome): number => items.filter(({ outcome }) => outcome === which).length;
    return {
      created: count('created'),
      updated: count('updated'),
      unchanged: count('unchanged'),
      superseded: count('superseded'),
      outside_ingestion_bounds: count('outside_ingestion_bounds'),
      items,
    };
  });
}

/** Returns the pushed object without its points, so that they are not stored twice. */
function payloadOf(item: SummaryItem, { stream }: SummaryResource): unknown {
  if (!stream) return item;
  const { [stream]: _, ...payload } = item;
  return payload;
}
