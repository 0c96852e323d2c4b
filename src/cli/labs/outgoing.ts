import { listOutgoing } from '../../labs/laboratories/hl7/outbox/list-outgoing.ts';
import {
  giveUpOrder,
  holdLaboratory,
  holdOrder,
  NotDone,
  releaseLaboratory,
  releaseOrder,
  resendOrder,
} from '../../labs/laboratories/hl7/outbox/outbox-actions.ts';
import type { Ctx } from '../../context.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { UsageError } from '../command.ts';
import { printDone, printRecords } from '../print.ts';
import { OPERATOR } from '../with-change.ts';
import { withCtx } from '../with-ctx.ts';

type Filter = { state: string; lab: string | undefined; json: boolean };

export function listOutgoingCommand({ state, lab, json }: Filter): Promise<number> {
  return withCtx('hl7 outgoing', async (ctx) => {
    printRecords(json, 'messages', await listOutgoing(ctx, { state, lab: lab ?? null }));
    return 0;
  });
}

type One = { outbox: string; json: boolean };

export const resendOrderCommand = ({ outbox, json }: One): Promise<number> =>
  operate('hl7 resend', { records: [outbox], json }, async (ctx) => {
    await resendOrder(ctx, outbox);
    return 'The order will be sent to the laboratory again.';
  });

export const giveUpOrderCommand = ({ outbox, json }: One): Promise<number> =>
  operate('hl7 give-up', { records: [outbox], json }, async (ctx) => {
    await giveUpOrder(ctx, outbox);
    return 'The message needs no more work.';
  });

type OneOrAll = { outbox: string | undefined; lab: string | undefined; json: boolean };

export function holdCommand(values: OneOrAll): Promise<number> {
  const { outbox, lab, json } = values;
  if (isOne(values, 'hl7 hold'))
    return operate('hl7 hold', { records: [outbox as string], json }, async (ctx) => {
      await holdOrder(ctx, outbox as string, 'operator');
      return 'The message is held.';
    });
  return operate('hl7 hold', { records: [], json }, async (ctx) => {
    await holdLaboratory(ctx, lab as string);
    return `Nothing is sent to ${lab} until you release it.`;
  });
}

export function releaseCommand(values: OneOrAll): Promise<number> {
  const { outbox, lab, json } = values;
  if (isOne(values, 'hl7 release'))
    return operate('hl7 release', { records: [outbox as string], json }, async (ctx) => {
      await releaseOrder(ctx, outbox as string, 'operator');
      return 'The message will be sent in its order.';
    });
  return operate('hl7 release', { records: [], json }, async (ctx) => {
    await releaseLaboratory(ctx, lab as string);
    return `The waiting messages to ${lab} will be sent.`;
  });
}

function isOne({ outbox, lab }: OneOrAll, words: string): boolean {
  if ((outbox === undefined) === (lab === undefined)) throw new UsageError(`phial ${words} takes --outbox or --lab.`);
  return outbox !== undefined;
}

/** Runs `work`, and writes an audit line that names the records. */
function operate(
  words: string,
  { records, json }: { records: string[]; json: boolean },
  work: (ctx: Ctx) => Promise<string>,
): Promise<number> {
  return withCtx(words, async (ctx) => {
    await recordAudit(ctx, { team_id: null, actor: OPERATOR, action: words, records });
    try {
      const said = await work(ctx);
      printDone(json, said, { outbox_ids: records, done: said });
      return 0;
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      console.error(error.message);
      return 1;
    }
  });
}
