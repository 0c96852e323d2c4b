import { readFileSync } from 'node:fs';
import { recordAudit } from '../../audit/record-audit.ts';
import type { Ctx } from '../../context.ts';
import { parseConfig } from '../../config/options.ts';
import { readEnvironment } from '../../config/read-environment.ts';
import { migrate } from '../../db/migrate.ts';
import { MIGRATIONS } from '../../db/database-server.ts';
import { ImportRefused } from '../../labs/catalogue/import/import-laboratory.ts';
import { connectLaboratory, readConnectionFile } from '../../labs/laboratories/hl7/connections/connect-laboratory.ts';
import { listMessages, readMessage } from '../../labs/laboratories/hl7/repair/list.ts';
import {
  discardMessage,
  NothingToRepair,
  repairMessage,
  replayAll,
  replayMessage,
} from '../../labs/laboratories/hl7/repair/repair-message.ts';
import { UsageError } from '../command.ts';
import { withDatabaseServer } from '../database.ts';
import { OPERATOR } from '../with-change.ts';
import { withCtx } from '../with-ctx.ts';

export async function connectLabCommand({ file }: { file: string }): Promise<number> {
  const read = readConnectionFile(contentsOf(file).toString('utf8'));
  if ('problems' in read) {
    console.error(`The laboratory was not connected:\n${read.problems.map((problem) => `  - ${problem}`).join('\n')}`);
    return 1;
  }
  return withDatabaseServer('lab connect', async (databaseServer) => {
    parseConfig(readEnvironment());
    await migrate({ ownerUrl: databaseServer.ownerUrl, directory: MIGRATIONS });
    try {
      const { markers, codes } = await connectLaboratory(databaseServer.ownerUrl, read.file);
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

/** Prints a message. The output is personal data, so each run writes an audit line. */
export function showMessageCommand({ message }: { message: string }): Promise<number> {
  return runAudited('hl7 show', message, async (ctx) => {
    const raw = await readMessage(ctx, message);
    if (raw === null) throw new NothingToRepair(`There is no message ${message}, or its text is not stored.`);
    console.log(raw.toString('utf8').replaceAll(/\r\n?/g, '\n'));
    return 0;
  });
}

export function repairMessageCommand({ message, file }: { message: string; file: string }): Promise<number> {
  const mended = contentsOf(file);
  return runAudited('hl7 repair', message, async (ctx) => reportState(await repairMessage(ctx, message, mended)));
}

export function replayMessageCommand(values: {
  message: string | undefined;
  lab: string | undefined;
}): Promise<number> {
  const { message, lab } = values;
  if ((message === undefined) === (lab === undefined))
    throw new UsageError('phial hl7 replay takes --message or --lab.');
  if (message !== undefined)
    return runAudited('hl7 replay', message, async (ctx) => reportState(await replayMessage(ctx, message)));
  return withCtx('hl7 replay', async (ctx) => {
    const { applied, failed } = await replayAll(ctx, lab as string);
    console.log(`Applied ${applied} messages. ${failed} still wait.`);
    return 0;
  });
}

export function discardMessageCommand({ message }: { message: string }): Promise<number> {
  return runAudited('hl7 discard', message, async (ctx) => {
    await discardMessage(ctx, message);
    console.log('The message was set aside.');
    return 0;
  });
}

function reportState({ state, reason }: { state: string; reason: string | null }): number {
  console.log(state === 'applied' ? 'The message was applied.' : `The message still waits: ${reason}.`);
  return state === 'applied' ? 0 : 1;
}

/** Writes an audit line that names the record, and then runs `work`, which shows or changes the record. */
function runAudited(words: string, record: string, work: (ctx: Ctx) => Promise<number>): Promise<number> {
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
