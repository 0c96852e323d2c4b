import { lstat, mkdir, opendir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { INCOMPLETE, readFileOfMessages } from '@phial/hl7/batch';
import type { Ctx } from '../../../../context.ts';
import { findConnections, type Connection } from '../connections/find-connection.ts';
import type { Receive } from '../open-inbox.ts';
import { dropOldFiles, endWalks, stamp } from './drop-old-files.ts';
import { takeBatches } from './take-batches.ts';

const EVERY_MS = 5_000;
/** The most files that one poll reads. Further files wait for the next poll. */
const MAX_FILES = 100;
const MAX_NAMES = 2_000;
const MAX_FILE_BYTES = 16 * 1_048_576;
/**
 * The most orders in a file. If a file has more, we refuse the remaining messages, and the file goes to the folder for
 * failed files.
 */
const MAX_ORDERS = 10_000;
/** If nobody has written to a file for this time, the file is complete. */
const QUIET_MS = 5_000;
/** Matches the names of unfinished uploads. */
const UNFINISHED = /^\.|\.(part|filepart|tmp|temp|crdownload|swp)$/i;
const DAY_MS = 86_400_000;
/**
 * Days after which we remove the files of applied messages. We do not need them, because the database also contains
 * these messages, sealed.
 */
const DONE_RETENTION_DAYS = 7;

export type Watcher = { stop: () => Promise<void> };

/** Polls the folders of all laboratories that have one, until `stop`. */
export function watchFolders(ctx: Ctx, receive: Receive): Watcher {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const next = (): void => {
    running = pollFolders(ctx, receive)
      .catch((err: unknown) => ctx.log.error({ err }, 'the folders of laboratories could not be read'))
      .finally(() => {
        if (!stopped) timer = setTimeout(next, EVERY_MS);
      });
  };
  timer = setTimeout(next, EVERY_MS);
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
      await endWalks();
    },
  };
}

/** Polls every folder once. It takes only files to which nobody has written for `quietMs`. */
export async function pollFolders(ctx: Ctx, receive: Receive, quietMs = QUIET_MS): Promise<void> {
  for (const connection of await findConnections(ctx)) {
    const { folder } = connection.settings.results;
    if (folder === undefined) continue;
    try {
      await pollFolder(ctx, { receive, connection }, folder, quietMs);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      ctx.log.error({ lab: connection.slug, reason: code ?? 'broken' }, 'the folder of a laboratory cannot be read');
    }
  }
}

async function pollFolder(ctx: Ctx, from: FolderSource, folder: string, quietMs: number): Promise<void> {
  for (const subfolder of ['done', 'failed', 'ack'])
    await mkdir(join(folder, subfolder), { recursive: true, mode: 0o750 });
  let taken = 0;
  for (const name of await namesIn(folder)) {
    if (taken >= MAX_FILES || ctx.stopping?.aborted) return;
    if (await takeFile(ctx, from, { folder, name, quietMs })) taken += 1;
  }
  await dropOld(ctx, from.connection, folder);
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of await opendir(folder)) {
    if (!entry.isFile() || UNFINISHED.test(entry.name)) continue;
    if (names.push(entry.name) >= MAX_NAMES) break;
  }
  return names.toSorted();
}

type FolderSource = { receive: Receive; connection: Connection };
type FileAt = { folder: string; name: string; quietMs: number };

/**
 * Handles a file. Returns whether this process handled it. Two processes may read the same file. The second one then
 * finds the messages already stored, because it compares their content.
 */
async function takeFile(ctx: Ctx, from: FolderSource, { folder, name, quietMs }: FileAt): Promise<boolean> {
  const { receive, connection } = from;
  const path = join(folder, name);
  try {
    const { size, mtimeMs } = await lstat(path);
    if (Date.now() - mtimeMs < quietMs) return false;
    const file = size > MAX_FILE_BYTES ? null : readFileOfMessages(await readFile(path));
    if (file?.isWhole === false)
      ctx.log.warn(
        { lab: connection.slug, reason: INCOMPLETE },
        'a batch of a laboratory has fewer messages than its trailer counts',
      );
    const taken = file && (await takeBatches(receive, [connection], file, MAX_ORDERS));
    const acks = taken?.acks.flat() ?? [];
    const ok = acks.length > 0 && taken?.ok && file?.isWhole;
    if (acks.length === 0)
      ctx.log.warn(
        { lab: connection.slug, bytes: size, reason: 'no_message' },
        'a file of a laboratory contains no message',
      );
    else await writeFile(join(folder, 'ack', `${name}.ack`), Buffer.concat(acks), { mode: 0o640 });
    await stamp(path);
    await rename(path, join(folder, ok ? 'done' : 'failed', name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Removes old files. They contain personal data, and nobody else may remember to remove them. We log no file name,
 * because a name may identify a person.
 */
async function dropOld(ctx: Ctx, { slug }: Connection, folder: string): Promise<void> {
  const retentionDays = { done: DONE_RETENTION_DAYS, ack: DONE_RETENTION_DAYS, failed: ctx.config.hl7.failedFilesDays };
  try {
    for (const [subfolder, days] of Object.entries(retentionDays)) {
      const files = await dropOldFiles(ctx, join(folder, subfolder), days * DAY_MS);
      if (files > 0 && subfolder === 'failed')
        ctx.log.warn(
          { lab: slug, files, reason: 'failed_too_long' },
          'files that had failed were removed after their retention time',
        );
    }
  } catch (err) {
    ctx.log.error({ err, lab: slug }, 'old files of a laboratory could not be removed');
  }
}
