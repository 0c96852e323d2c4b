import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { encode, type Charset } from '@phial/hl7/encoding';
import type { Reply } from '../messages/read-reply.ts';
import { LineFailed } from './line.ts';

/**
 * Puts a message where the laboratory fetches its orders: written under a name that begins with a dot, flushed, and
 * renamed, so that nobody fetches half of one. The same message again takes the place of itself.
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
