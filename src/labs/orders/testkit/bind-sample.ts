import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { lockName } from '../../../db/session/named-lock.ts';
import { AppError } from '../../../errors.ts';
import type { LoadedOrder } from '../load.ts';

/** Ids that the simulated laboratory issues, and nobody else. */
const SIMULATED_SAMPLE_ID = /^SIM[0-9A-Z]{12}$/;

/** Ids that a deployment gives to samples with the numbers of their orders (laboratories/hl7/outbox/number-order.ts). */
const NUMBERED_SAMPLE_ID = /^KP[0-9A-Z]{8,}$/;

/** A sample id as it is kept: upper and lower case are the same. */
export const canonicalSampleId = (sampleId: string): string => sampleId.toUpperCase();

/** Of two registrations of one sample the second waits here, and finds what the first has made of it. */
export async function findSampleOrNull(
  ctx: TxCtx<TeamCtx>,
  sampleId: string,
): Promise<{ order_id: string | null } | null> {
  await lockName(ctx.db, 'sample', sampleId);
  const {
    rows: [known],
  } = await sql<{ order_id: string | null }>`
    select order_id from sample_ids where sample_id = ${sampleId} and team_id = ${ctx.team.id}`.execute(ctx.db);
  return known ?? null;
}

/**
 * The one way by which an order gets its sample id: one that was issued to the team, or one that nobody has, whose
 * right to be taken the caller knows.
 */
export async function bindSample(ctx: TxCtx<TeamCtx>, order: LoadedOrder, sampleId: string): Promise<LoadedOrder> {
  const { row } = order;
  const { rows } = await sql`
    with issued as (
      update sample_ids set order_id = ${row.id}
       where sample_id = ${sampleId} and team_id = ${ctx.team.id} and order_id is null returning sample_id
    ), fresh as (
      insert into sample_ids (sample_id, team_id, order_id)
      select ${sampleId}, ${ctx.team.id}, ${row.id} where not exists (select from issued)
          on conflict do nothing returning sample_id
    )
    update orders set sample_id = bound.sample_id
      from (select sample_id from issued union all select sample_id from fresh) as bound
     where orders.user_id = ${row.user_id} and orders.id = ${row.id}
    returning orders.id`.execute(ctx.db);
  if (rows.length === 0) throw alreadyRegistered();
  return { ...order, row: { ...row, sample_id: sampleId } };
}

/**
 * The same for an order that is about to be made with an id that somebody else gave it. Ids of our own form are refused
 * like those that are taken, whether they are or not: nobody takes one before the order that it will be given to.
 */
export async function takeSample(ctx: TxCtx<TeamCtx>, sampleId: string, orderId: string): Promise<void> {
  if (NUMBERED_SAMPLE_ID.test(sampleId)) throw alreadyRegistered();
  const { rows } = await sql`
    insert into sample_ids (sample_id, team_id, order_id) values (${sampleId}, ${ctx.team.id}, ${orderId})
    on conflict do nothing returning sample_id`.execute(ctx.db);
  if (rows.length === 0) throw alreadyRegistered();
}

/** A kit of the shop has an id of its own in a sandbox; those of laboratories are known before anybody holds one. */
const mustBeIssued = ({ config }: TeamCtx, sampleId: string): boolean =>
  config.environment !== 'sandbox' || SIMULATED_SAMPLE_ID.test(sampleId) || NUMBERED_SAMPLE_ID.test(sampleId);

/**
 * Refuses an id that can belong to no order of the team before anything is written for it. Rows of other teams cannot
 * be seen: whether somebody has the id shows only by taking it, which the refusal undoes.
 */
export async function refuseUnknownSample(ctx: TxCtx<TeamCtx>, sampleId: string, userKnown: boolean): Promise<void> {
  if (userKnown && !mustBeIssued(ctx, sampleId)) return;
  const { rows } = await sql`
    insert into sample_ids (sample_id, team_id) values (${sampleId}, ${ctx.team.id})
    on conflict do nothing returning sample_id`.execute(ctx.db);
  throw rows.length === 0 ? alreadyRegistered() : sampleNotFound(mustBeIssued(ctx, sampleId));
}

/** Ids of kits that a laboratory gave to the team before any order, by which they can be registered. */
export async function issueSampleIds(ctx: TeamCtx, sampleIds: string[]): Promise<void> {
  await sql`
    insert into sample_ids (sample_id, team_id)
    select sample_id, ${ctx.team.id} from unnest(${sampleIds.map(canonicalSampleId)}::text[]) as issued (sample_id)
    on conflict do nothing`.execute(ctx.db);
}

/** Of an id that has to be issued first no user who is named makes an order. */
const sampleNotFound = (isToBeIssued: boolean): AppError =>
  new AppError(
    'sample_not_found',
    isToBeIssued
      ? 'No kit with this sample_id was issued to this team. Check the id.'
      : 'No kit with this sample_id is known. Check the id, or name the user whose kit it is in user_id.',
  );

export const alreadyRegistered = (): AppError =>
  new AppError(
    'sample_already_registered',
    'This sample_id is registered to another order. Each kit can be registered once.',
  );
