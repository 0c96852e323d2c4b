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
import { OPERATOR } from '../with-change.ts';
import { withCtx } from '../with-ctx.ts';

export function listOutgoingCommand({ state, lab }: { state: string; lab: string | undefined }): Promise<number> {
  return withCtx('hl7 outgoing', async (ctx) => {
    for (const order of await listOutgoing(ctx, { state, lab: lab ?? null })) console.log(JSON.stringify(order));
    return 0;
  });
}

export const resendOrderCommand = ({ outbox }: { outbox: string }): Promise<number> =>
  operate('hl7 resend', [outbox], async (ctx) => {
    await resendOrder(ctx, outbox);
    return 'The order will be sent to the laboratory again.';
  });

export const giveUpOrderCommand = ({ outbox }: { outbox: string }): Promise<number> =>
  operate('hl7 give-up', [outbox], async (ctx) => {
    await giveUpOrder(ctx, outbox);
    return 'The message needs no more work.';
  });

type OneOrAll = { outbox: string | undefined; lab: string | undefined };

export function holdCommand(values: OneOrAll): Promise<number> {
  const { outbox, lab } = values;
  if (isOne(values, 'hl7 hold'))
    return operate('hl7 hold', [outbox as string], async (ctx) => {
      await holdOrder(ctx, outbox as string, 'operator');
      return 'The message is held.';
    });
  return operate('hl7 hold', [], async (ctx) => {
    await holdLaboratory(ctx, lab as string);
    return `Nothing is sent to ${lab} until you release it.`;
  });
}

export function releaseCommand(values: OneOrAll): Promise<number> {
  const { outbox, lab } = values;
  if (isOne(values, 'hl7 release'))
    return operate('hl7 release', [outbox as string], async (ctx) => {
      await releaseOrder(ctx, outbox as string, 'operator');
      return 'The message will be sent in its order.';
    });
  return operate('hl7 release', [], async (ctx) => {
    await releaseLaboratory(ctx, lab as string);
    return `The waiting messages to ${lab} will be sent.`;
  });
}

function isOne({ outbox, lab }: OneOrAll, words: string): boolean {
  if ((outbox === undefined) === (lab === undefined)) throw new UsageError(`phial ${words} takes --outbox or --lab.`);
  return outbox !== undefined;
}

/** Runs `work`, and writes an audit line that names the records. */
function operate(words: string, records: string[], work: (ctx: Ctx) => Promise<string>): Promise<number> {
  return withCtx(words, async (ctx) => {
    await recordAudit(ctx, { team_id: null, actor: OPERATOR, action: words, records });
    try {
      console.log(await work(ctx));
      return 0;
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      console.error(error.message);
      return 1;
    }
  });
}
