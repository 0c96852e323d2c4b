import { constants } from 'node:fs';
import { access, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { ReadableStream } from 'node:stream/web';
import { PhialError, type Phial } from '@phial/client';
import { CommandError, UsageError } from '../command.ts';
import { printJson } from '../print.ts';
import { openProgress } from '../progress.ts';
import { findManagedTeam, withRemote, type ManagedTeam, type Remote } from './with-remote.ts';

type ExportOptions = {
  url: string | undefined;
  key: string | undefined;
  org: string | undefined;
  team: string | undefined;
  user: string | undefined;
  to: string | undefined;
  json: boolean;
};

type Counts = { lines: number; users: number };

/** Lines are written together, because a call of the file for each line would take longer than the export. */
const WRITTEN_TOGETHER = 500;

/** Writes everything of a team or of one user, as lines of JSON, to a new file or to stdout. */
export async function exportCommand(values: ExportOptions): Promise<number> {
  const { to, user, json } = values;
  if (to !== undefined) await refuseUnwritable(resolve(to));
  if (json && to === undefined) throw new UsageError('phial export takes --json together with --to FILE only.');
  return withRemote('export', values, async (remote) => {
    const { manager, path } = await findManagedTeam('export', remote, values);
    const total = user === undefined ? await countUsers(remote) : 1;
    const lines = await openExport(manager, path, user);
    const counts = to === undefined ? await copy(lines, printLines, total) : await writeFile(lines, resolve(to), total);
    if (json) printJson({ file: resolve(to as string), ...counts });
    else
      console.error(
        `Exported ${counts.lines} lines of ${counts.users} ${counts.users === 1 ? 'user' : 'users'}. ` +
          'They hold personal data as plain text. ' +
          'Protect them like the database.',
      );
    return 0;
  });
}

/** Returns the number of users, or null if there is no team key that may read it. */
async function countUsers({ hasTeamKey, team }: Remote): Promise<number | null> {
  if (!hasTeamKey) return null;
  const { data } = await team().GET('/v2/user', { params: { query: { limit: 1 } } });
  return data?.total ?? null;
}

async function openExport(manager: Phial, path: ManagedTeam, user: string | undefined): Promise<AsyncIterable<string>> {
  const { data, error, response } = await manager.GET('/v1/org/{org_id}/team/{team_id}/{environment}/export', {
    params: { path, query: { user_id: user } },
    parseAs: 'stream',
  });
  if (!response.ok || !data) throw new PhialError(error as never, response.status);
  return linesOf(data as unknown as ReadableStream<Uint8Array>);
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

const printLines = async (text: string): Promise<void> => {
  if (!process.stdout.write(text)) await new Promise((resume) => process.stdout.once('drain', resume));
};

/** Writes a new file, which has its name only once it is complete. Only the owner can read it. */
async function writeFile(lines: AsyncIterable<string>, file: string, total: number | null): Promise<Counts> {
  const unfinished = `${file}.part`;
  const handle = await open(unfinished, 'w', 0o600);
  try {
    const counts = await copy(lines, async (text) => void (await handle.write(text)), total);
    await closeSafely(handle);
    await rename(unfinished, file);
    return counts;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Refuses before the service is asked: each export writes a line to the audit log. */
async function refuseUnwritable(file: string): Promise<void> {
  const folder = dirname(file);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new UsageError(`phial export writes to a folder that exists, and ${folder} is none.`);
  if (await canAccess(file, constants.F_OK))
    throw new UsageError(`phial export writes a new file as --to, and ${file} exists.`);
  if (!(await canAccess(folder, constants.W_OK)))
    throw new UsageError(
      `phial export cannot write to the folder ${folder}. Choose another, or get the right to write.`,
    );
}

const canAccess = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

async function closeSafely(handle: FileHandle): Promise<void> {
  await handle.sync();
  await handle.close();
}

/** Copies all lines. Throws CommandError unless the last line is there and tells how many lines came before it. */
async function copy(
  lines: AsyncIterable<string>,
  write: (text: string) => Promise<void>,
  total: number | null,
): Promise<Counts> {
  const progress = openProgress();
  const counts: Counts = { lines: 0, users: 0 };
  let expected: number | null = null;
  let waiting: string[] = [];
  const flush = async (): Promise<void> => {
    if (waiting.length > 0) await write(waiting.join(''));
    waiting = [];
  };
  try {
    for await (const line of untilCut(lines)) {
      if (line.startsWith('{"type":"end"')) expected = (JSON.parse(line) as { data: Counts }).data.lines;
      else counts.lines += 1;
      if (line.startsWith('{"type":"user"')) counts.users += 1;
      waiting.push(`${line}\n`);
      if (waiting.length >= WRITTEN_TOGETHER) await flush();
      progress.show(`${counts.lines} lines, ${counts.users} users`, { done: counts.users, total });
    }
    await flush();
  } finally {
    progress.end();
  }
  if (expected === counts.lines) return counts;
  throw new CommandError(`The export was cut off after ${counts.lines} lines. Run the command again.`);
}

/** Ends where the service cut the stream off: the missing last line says so. */
async function* untilCut(lines: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* lines;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
