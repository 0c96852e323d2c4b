import { AppError } from '../../errors.ts';
import type { Ctx } from '../../context.ts';
import { bookByTelephone } from '../../labs/appointments/by-telephone/book-by-telephone.ts';
import {
  cancelByTelephone,
  completeByTelephone,
  moveByTelephone,
} from '../../labs/appointments/by-telephone/change-by-telephone.ts';
import { listWaiting } from '../../labs/appointments/by-telephone/list.ts';
import { showByTelephone } from '../../labs/appointments/by-telephone/show-by-telephone.ts';
import type { AppointmentProvider } from '../../labs/schedulers/providers.ts';
import { UsageError } from '../command.ts';
import { printDone, printRecords } from '../print.ts';
import { withChange } from '../with-change.ts';
import { withCtx } from '../with-ctx.ts';

type OfOrder = { team: string; order: string; json: boolean };
type Time = { start: string; minutes: string };

export function listAppointmentsCommand({ team, json }: { team: string | undefined; json: boolean }): Promise<number> {
  return withCtx('appointment list', async (ctx) => {
    printRecords(json, 'appointments', await listWaiting(ctx, { team: team ?? null }));
    return 0;
  });
}

/** Prints an appointment. The output is personal data, so each run writes an audit line. */
export function showAppointmentCommand({ team, order, json }: OfOrder): Promise<number> {
  return saying('appointment show', { team, order, json }, async (ctx) => {
    const { org_id, shown } = await showByTelephone(ctx, { team_id: team, order_id: order });
    return { org_id, words: JSON.stringify(shown, null, 2), facts: shown };
  });
}

type Booking = OfOrder &
  Time & {
    provider: AppointmentProvider | undefined;
    site: string | undefined;
    reference: string | undefined;
  };

export async function bookAppointmentCommand({ team, order, json, start, minutes, ...rest }: Booking): Promise<number> {
  const { provider = null, site = null, reference = null } = rest;
  const time = timeOf('book', { start, minutes });
  if (reference !== null && !/^[\x21-\x7e]([\x20-\x7e]{0,98}[\x21-\x7e])?$/.test(reference))
    throw new UsageError('phial appointment book takes at most 100 letters, digits and signs as --reference.');
  return saying('appointment book', { team, order, json }, async (ctx) => {
    const booked = { ...time, provider, site, reference };
    const { org_id } = await bookByTelephone(ctx, { team_id: team, order_id: order }, booked);
    return { org_id, words: 'The appointment is booked, and its team is notified.' };
  });
}

export async function moveAppointmentCommand({ team, order, json, start, minutes }: OfOrder & Time): Promise<number> {
  const time = timeOf('reschedule', { start, minutes });
  return saying('appointment reschedule', { team, order, json }, async (ctx) => {
    const { org_id } = await moveByTelephone(ctx, { team_id: team, order_id: order }, time);
    return { org_id, words: 'The appointment is moved, and its team is notified.' };
  });
}

export async function cancelAppointmentCommand({
  team,
  order,
  json,
  reason,
}: OfOrder & { reason: string }): Promise<number> {
  if (!/^[a-z0-9_]{1,50}$/.test(reason))
    throw new UsageError('phial appointment cancel takes a word of small letters, digits and _ as --reason.');
  return saying('appointment cancel', { team, order, json }, async (ctx) => {
    const { org_id } = await cancelByTelephone(ctx, { team_id: team, order_id: order }, reason);
    return { org_id, words: 'The appointment is cancelled, and nobody needs to call about it.' };
  });
}

export function completeAppointmentCommand({ team, order, json }: OfOrder): Promise<number> {
  return saying('appointment complete', { team, order, json }, async (ctx) => {
    const { org_id } = await completeByTelephone(ctx, { team_id: team, order_id: order });
    return { org_id, words: 'The sample was taken, and its team is notified.' };
  });
}

/** Without facts of its own, a command reports what it did in words. */
type Output = { org_id: string; words: string; facts?: object };

async function saying(
  words: string,
  { team, order, json }: OfOrder,
  work: (ctx: Ctx) => Promise<Output>,
): Promise<number> {
  try {
    return await withChange(words, async (ctx) => {
      const { org_id, words: said, facts = { order_id: order, done: said } } = await work(ctx);
      return { org_id, team_id: team, records: [order], printResult: () => printDone(json, said, facts) };
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    console.error(error.message);
    return 1;
  }
}

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})$/;
const [SHORTEST, LONGEST] = [5, 480];

function timeOf(subcommand: string, { start, minutes }: Time): { start_at: string; end_at: string } {
  const at = MOMENT.test(start) ? Date.parse(start) : NaN;
  if (Number.isNaN(at))
    throw new UsageError(
      `phial appointment ${subcommand} takes a time with its offset as --start, such as 2027-01-31T09:00-07:00.`,
    );
  const lasts = /^\d{1,3}$/.test(minutes) ? Number(minutes) : 0;
  if (lasts < SHORTEST || lasts > LONGEST)
    throw new UsageError(`phial appointment ${subcommand} takes ${SHORTEST} to ${LONGEST} as --minutes.`);
  return { start_at: new Date(at).toISOString(), end_at: new Date(at + lasts * 60_000).toISOString() };
}
