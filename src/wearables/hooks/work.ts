import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { addJob } from '../../db/define-job.ts';
import { inTransaction } from '../../db/transaction.ts';
import { checkAgreement } from '../connections/tokens/check-agreement.ts';
import { ProviderUnavailable } from '../providers/provider-errors.ts';
import { defineTeamJob } from '../../tenancy/teams/define-team-job.ts';
import { claimPoll, letGo, type Claim } from '../pulls/poll-lease.ts';
import { pullWindows } from '../pulls/poll.ts';
import { isGone, isRetriable, PullError, type Importer } from '../providers/importer.ts';
import { importerOrNull } from '../pulls/importers.ts';
import type { Stored } from '../pulls/store-pulled.ts';
import { asWriter } from '../one-writer.ts';
import { deleteAbsent } from '../summaries/deletion/at-source.ts';
import { deleteAbsentSamples } from '../timeseries/deletion/absent.ts';
import { giveTryBack, inboxKind, isWaiting, markWorked, takeRows, type InboxRow } from './inbox.ts';
import { lookAt } from './look-at.ts';
import { windowsOf, type Asked } from './windows-of.ts';

type Job = Static<(typeof inboxKind)['payload']>;
const NEXT_TRY_SECONDS = 60;
/** While a poll is under way, which may have asked before what is told of happened. */
const POLL_SECONDS = 15;

/** Looks where a provider's notifications of a connection say that there is news, by the lease of its poll. */
export const inboxWork = defineTeamJob({
  ...inboxKind,
  run: async (ctx, job) => {
    if (!(await isWaiting(ctx, job))) return;
    const claim = await claimPoll(ctx, job, { whenDue: false });
    if (!claim) return again(ctx, job, POLL_SECONDS);
    try {
      await work(ctx, job, claim);
    } catch (error) {
      if (!isGone(error)) throw error;
    } finally {
      await letGo(ctx, claim);
    }
  },
});

async function work(ctx: TeamCtx, job: Job, claim: Claim): Promise<void> {
  const importer = importerOrNull(ctx, claim.connection);
  const rows = await takeRows(ctx, job);
  if (!importer || rows.length === 0) return;
  try {
    if (rows.some(({ ended }) => ended)) await checkAgreement(ctx, job);
    const left: InboxRow[] = [];
    for (const row of rows) left.push(...(await lookAt(ctx, claim, importer, row)));
    const outcome = await pullWindows(ctx, claim, {
      importer,
      windows: windowsOf(claim, importer, left),
      stored: async (asked, stored) => {
        if (!asked.isSpan) return;
        for (const resource of asked.resources)
          await reconcile(ctx, claim, importer, { resource, asked, stored: stored.get(resource) as Stored });
      },
    });
    // A stop, or a user who is leaving: whoever looks next finds what is left to do.
    if (outcome === null) return again(ctx, job, 0);
    if (!outcome.succeeded) throw new PullError('provider_unavailable', outcome.wait, outcome);
    await markWorked(ctx, job, rows);
  } catch (error) {
    const told = error instanceof ProviderUnavailable ? new PullError('provider_unavailable') : error;
    if (!(told instanceof PullError)) throw error;
    if (!isRetriable(told.group)) return markWorked(ctx, job, rows);
    if (told.wasHeldBack) await giveTryBack(ctx, job, rows);
    await again(ctx, job, Math.max(told.retryAfterSeconds ?? 0, NEXT_TRY_SECONDS));
  }
}

/** A span that was read whole shows what is no longer in it; of samples that counts where the provider says so. */
async function reconcile(
  ctx: TeamCtx,
  { user, connection }: Claim,
  { sampleSources: source_types }: Importer,
  { resource, asked: { window, deleted }, stored }: { resource: string; asked: Asked; stored: Stored },
): Promise<void> {
  const { provider } = connection;
  const kept = [...stored.provider_ids];
  await asWriter(ctx, { user_id: user.id, origin: 'live' }, (tx, present) =>
    deleteAbsent(tx, present, { resource, provider, span: window, kept }),
  );
  if (source_types === undefined) return;
  for (const span of deleted)
    await deleteAbsentSamples(ctx, user, { resource, provider, source_types, span, kept: stored.sample_times });
}

function again(ctx: TeamCtx, job: Job, delaySeconds: number): Promise<void> {
  return inTransaction(ctx, ({ db }) => addJob(db, inboxKind, job, { delaySeconds }));
}
