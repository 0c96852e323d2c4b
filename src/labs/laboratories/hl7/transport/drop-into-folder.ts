import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { encode, type Charset } from '@phial/hl7/encoding';
import type { Reply } from '../messages/read-reply.ts';
import { LineFailed } from './open-line.ts';

/**
 * Writes a message into the folder from which the laboratory fetches orders. The laboratory must never fetch an
 * incomplete file. So the file's name first begins with a dot, and we rename the file when all bytes are on the disk.
 * If we send the same message again, its file replaces the first one.
 */
export async function dropIntoFolder(folder: string, name: string, message: string, charset: Charset): Promise<Reply> {
  const part = join(folder, `.${name}.part`);
  try {
    const file = await open(part, 'w', 0o640);
    try {
      await file.writeFile(encode(message, charset));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, join(folder, name));
  } catch (error) {
    throw new LineFailed((error as NodeJS.ErrnoException).code?.toLowerCase() ?? 'folder_failed', false);
  }
  return { code: 'AA', isCommit: false, reason: null, orders: [] };
}
