import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Entry } from 'yauzl';
import { makeArchive, type ArchiveEntry } from '../../../../test/make-archive.ts';
import { openArchive, type Archive } from './open-archive.ts';

const GIB = 1024 ** 3;
const folder = mkdtempSync(join(tmpdir(), 'archive-'));
afterAll(() => rmSync(folder, { recursive: true }));

const open = (entries: ArchiveEntry[], reserveBytes = 0): Promise<Archive> => {
  const path = join(folder, 'a.zip');
  writeFileSync(path, makeArchive(entries));
  return openArchive(path, { expandedBytes: 4 * GIB, reserveBytes });
};
const inner = makeArchive([{ name: 'a.fit', content: 'text' }]);
const PROCESS = '/proc/self/fd';

/** The number of open files of this process that are unlinked. */
const unlinked = (): number =>
  readdirSync(PROCESS).filter((fd) => {
    const file = statSync(join(PROCESS, fd), { throwIfNoEntry: false });
    return file?.isFile() && file.nlink === 0;
  }).length;

describe('an archive within an archive', () => {
  test.skipIf(!existsSync(PROCESS))('has a copy on the disk only while it is read', async () => {
    const before = unlinked();
    const archive = await open([
      { name: '1.zip', content: inner },
      { name: '2.zip', content: inner },
      { name: '3.zip', content: 'no archive' },
    ]);
    const copies: number[] = [];
    const read = async (within: Archive): Promise<void> => {
      await within.readWhole(within.entries[0] as Entry, 100);
      copies.push(unlinked() - before);
    };
    for (const entry of archive.entries) await archive.within(entry, read).catch(() => undefined);
    expect(copies).toEqual([1, 1]);
    expect(unlinked()).toBe(before);
  });

  test('is not unpacked if it has more than a gibibyte', async () => {
    const archive = await open([{ name: '1.zip', content: inner, uncompressedSize: GIB + 1 }]);
    const unpacked = archive.within(archive.entries[0] as Entry, async () => undefined);
    await expect(unpacked).rejects.toMatchObject({ code: 'file_too_large' });
  });

  test('is not unpacked while another one is', async () => {
    const archive = await open([{ name: '1.zip', content: inner }]);
    const entry = archive.entries[0] as Entry;
    const beside = archive.within(entry, () => archive.within(entry, async () => undefined));
    await expect(beside).rejects.toMatchObject({ code: 'archive_too_large' });
  });

  test('is not unpacked if less than the reserve of the disk would stay free', async () => {
    const archive = await open([{ name: '1.zip', content: inner }], 1024 ** 5);
    const unpacked = archive.within(archive.entries[0] as Entry, async () => undefined);
    await expect(unpacked).rejects.toMatchObject({ code: 'storage_full' });
  });
});
