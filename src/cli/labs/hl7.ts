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
import { printDone, printRecords } from '../print.ts';
import { withDatabaseServer } from '../database.ts';
import { OPERATOR } from '../with-change.ts';
import { withCtx } from '../with-ctx.ts';

export async function connectLabCommand({ file, json }: { file: string; json: boolean }): Promise<number> {
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
      const { slug } = read.file.laboratory;
      const words = `${slug} is connected: ${markers} markers to order, ${codes} codes to report by.`;
      printDone(json, words, { lab: slug, markers, codes });
      return 0;
    } catch (error) {
      if (!(error instanceof ImportRefused)) throw error;
      console.error(error.message);
      return 1;
    }
  });
}

type Filter = { state: 'received' | 'applied' | 'failed' | 'discarded'; lab: string | undefined; json: boolean };
type One = { message: string; json: boolean };

export function listMessagesCommand({ state, lab, json }: Filter): Promise<number> {
  return withCtx('hl7 list', async (ctx) => {
    printRecords(json, 'messages', await listMessages(ctx, { state, lab: lab ?? null }));
    return 0;
  });
}

/** Prints a message. The output is personal data, so each run writes an audit line. */
export function showMessageCommand({ message, json }: One): Promise<number> {
  return runAudited('hl7 show', message, async (ctx) => {
    const raw = await readMessage(ctx, message);
    if (raw === null) throw new NothingToRepair(`There is no message ${message}, or its text is not stored.`);
    const text = raw.toString('utf8').replaceAll(/\r\n?/g, '\n');
    printDone(json, text, { message_id: message, text });
    return 0;
  });
}

export function repairMessageCommand({ message, file, json }: One & { file: string }): Promise<number> {
  const mended = contentsOf(file);
  return runAudited('hl7 repair', message, async (ctx) => reportState(json, await repairMessage(ctx, message, mended)));
}

export function replayMessageCommand(values: {
  message: string | undefined;
  lab: string | undefined;
  json: boolean;
}): Promise<number> {
  const { message, lab, json } = values;
  if ((message === undefined) === (lab === undefined))
    throw new UsageError('phial hl7 replay takes --message or --lab.');
  if (message !== undefined)
    return runAudited('hl7 replay', message, async (ctx) => reportState(json, await replayMessage(ctx, message)));
  return withCtx('hl7 replay', async (ctx) => {
    const { applied, failed } = await replayAll(ctx, lab as string);
    printDone(json, `Applied ${applied} messages. ${failed} still wait.`, { applied, failed });
    return 0;
  });
}

export function discardMessageCommand({ message, json }: One): Promise<number> {
  return runAudited('hl7 discard', message, async (ctx) => {
    await discardMessage(ctx, message);
    printDone(json, 'The message was set aside.', { message_id: message, state: 'discarded' });
    return 0;
  });
}

function reportState(json: boolean, { state, reason }: { state: string; reason: string | null }): number {
  const words = state === 'applied' ? 'The message was applied.' : `The message still waits: ${reason}.`;
  printDone(json, words, { state, reason });
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
