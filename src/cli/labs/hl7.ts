import { readFileSync } from 'node:fs';
import { recordAudit } from '../../audit/record.ts';
import type { Ctx } from '../../context.ts';
import { parseConfig } from '../../config/options.ts';
import { readEnvironment } from '../../config/environment.ts';
import { migrate } from '../../db/migrate.ts';
import { MIGRATIONS } from '../../db/place.ts';
import { ImportRefused } from '../../labs/catalogue/import/import-laboratory.ts';
import { connectLaboratory, readConnectionFile } from '../../labs/laboratories/hl7/connections/connect-laboratory.ts';
import { listMessages, readMessage } from '../../labs/laboratories/hl7/queue/list.ts';
import {
  discardMessage,
  NothingToRepair,
  repairMessage,
  replayAll,
  replayMessage,
} from '../../labs/laboratories/hl7/queue/repair.ts';
import { UsageError } from '../command.ts';
import { withPlace } from '../database.ts';
import { OPERATOR } from '../with-change.ts';
import { withCtx } from '../with-ctx.ts';

export async function connectLabCommand({ file }: { file: string }): Promise<number> {
  const read = readConnectionFile(contentsOf(file).toString('utf8'));
  if ('problems' in read) {
    console.error(`The laboratory was not connected:\n${read.problems.map((problem) => `  - ${problem}`).join('\n')}`);
    return 1;
  }
  return withPlace('lab connect', async (place) => {
    parseConfig(readEnvironment());
    await migrate({ ownerUrl: place.ownerUrl, directory: MIGRATIONS });
    try {
      const { markers, codes } = await connectLaboratory(place.ownerUrl, read.file);
      console.log(
        `${read.file.laboratory.slug} is connected: ${markers} markers to order, ${codes} codes to report by.`,
      );
      return 0;
    } catch (error) {
      if (!(error instanceof ImportRefused)) throw error;
      console.error(error.message);
      return 1;
    }
  });
}

type Filter = { state: 'received' | 'applied' | 'failed' | 'discarded'; lab: string | undefined };

export function listMessagesCommand({ state, lab }: Filter): Promise<number> {
  return withCtx('hl7 list', async (ctx) => {
    for (const message of await listMessages(ctx, { state, lab: lab ?? null })) console.log(JSON.stringify(message));
    return 0;
  });
}

/** What it prints is personal: whoever asks for it leaves a line in the audit log. */
export function showMessageCommand({ message }: { message: string }): Promise<number> {
  return told('hl7 show', message, async (ctx) => {
    const raw = await readMessage(ctx, message);
    if (raw === null) throw new NothingToRepair(`There is no message ${message}, or nothing of it is kept.`);
    console.log(raw.toString('utf8').replaceAll(/\r\n?/g, '\n'));
    return 0;
  });
}

export function repairMessageCommand({ message, file }: { message: string; file: string }): Promise<number> {
  const mended = contentsOf(file);
  return told('hl7 repair', message, async (ctx) => tell(await repairMessage(ctx, message, mended)));
}

export function replayMessageCommand(values: {
  message: string | undefined;
  lab: string | undefined;
}): Promise<number> {
  const { message, lab } = values;
  if ((message === undefined) === (lab === undefined))
    throw new UsageError('phial hl7 replay takes --message or --lab.');
  if (message !== undefined) return told('hl7 replay', message, async (ctx) => tell(await replayMessage(ctx, message)));
  return withCtx('hl7 replay', async (ctx) => {
    const { applied, failed } = await replayAll(ctx, lab as string);
    console.log(`${applied} messages applied, ${failed} wait still.`);
    return 0;
  });
}

export function discardMessageCommand({ message }: { message: string }): Promise<number> {
  return told('hl7 discard', message, async (ctx) => {
    await discardMessage(ctx, message);
    console.log('The message was set aside.');
    return 0;
  });
}

function tell({ state, reason }: { state: string; reason: string | null }): number {
  console.log(state === 'applied' ? 'The message was applied.' : `The message waits still: ${reason}.`);
  return state === 'applied' ? 0 : 1;
}

/** With a line in the audit log that names the record, before anything is shown or changed. */
function told(words: string, record: string, work: (ctx: Ctx) => Promise<number>): Promise<number> {
  return withCtx(words, async (ctx) => {
    await recordAudit(ctx, { team_id: null, actor: OPERATOR, action: words, records: [record] });
    try {
      return await work(ctx);
    } catch (error) {
      if (!(error instanceof NothingToRepair)) throw error;
      console.error(error.message);
      return 1;
    }
  });
}

function contentsOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`);
  }
}
