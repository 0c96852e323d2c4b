// Plays a laboratory that speaks HL7, for the demo clinic. It gets and sends messages as any other laboratory, only
// without a network.
import { sql } from 'kysely';
import { Type, type Static } from 'typebox';
import { segmentOf, textAt } from '@phial/hl7/message';
import { parse } from '@phial/hl7/parse';
import type { Ctx, TxCtx } from '../../../../context.ts';
import { addJob, jobKind } from '../../../../db/define-job.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { Uuid } from '../../../../wire/schema.ts';
import type { Connection } from '../connections/find-connection.ts';
import type { Reply } from '../messages/read-reply.ts';

/** The slug of the laboratory in migrations/0233_demo_laboratory.sql, and the order code of its lab test. */
export const DEMO_LABORATORY = { slug: 'juniper-demo-lab', code: 'JHS' } as const;

/** It refuses the first message of a patient with this last name, and takes the order when somebody sends it again. */
const REFUSED = 'refused';
/** The control id of the first message about an order ends with N. That of a later one has a number at its end. */
const FIRST_MESSAGE = /N$/;

const OrderOfTeam = Type.Object({ team_id: Uuid, order_id: Uuid });

/** The job that reports the result of an order. */
export const demoReportKind = jobKind({
  name: 'demo_laboratory_report',
  payload: OrderOfTeam,
  key: ({ order_id }) => `demo laboratory ${order_id}`,
});

/** Only a sandbox has this laboratory, so no order of a patient ends here. */
export const isDemoLaboratory = ({ config }: Pick<Ctx, 'config'>, { slug }: Pick<Connection, 'slug'>): boolean =>
  config.environment === 'sandbox' && slug === DEMO_LABORATORY.slug;

/** Connects the laboratory, unless it is connected. */
export async function connectDemoLaboratory({ db }: TxCtx): Promise<void> {
  await sql`select connect_demo_laboratory()`.execute(db);
}

type Sent = { text: string; controlId: string };
type About = Static<typeof OrderOfTeam> & { action: 'new' | 'cancel' };

/** Returns the reply to a message about an order. A job then reports the result of an order that was accepted. */
export async function replyOfDemo(ctx: Ctx, { text, controlId }: Sent, about: About): Promise<Reply> {
  const { team_id, order_id, action } = about;
  const reply: Reply = { code: 'AA', isCommit: false, reason: null, orders: [] };
  if (action === 'cancel') return reply;
  const lastName = textAt(segmentOf(parse(text), 'PID'), 5).toLowerCase();
  if (lastName === REFUSED && FIRST_MESSAGE.test(controlId)) return { ...reply, code: 'AE', reason: '207' };
  await inTransaction(ctx, ({ db }) => addJob(db, demoReportKind, { team_id, order_id }));
  return reply;
}
