import type { TeamCtx } from '../context.ts';
import { throwIfKeyIsUnknown } from '../privacy/missing-encryption-key.ts';

/** Decrypts the body of an event. Returns null if the body is damaged. Then the caller continues with other events. */
export async function openBodyOrNull({ cipher, log, team }: TeamCtx, id: string, body: Buffer): Promise<Buffer | null> {
  try {
    return await cipher.openPackedBytes('events.body', { team_id: team.id, id }, body);
  } catch (err) {
    throwIfKeyIsUnknown(err);
    log.error(
      { err, message_id: id, team_id: team.id },
      'a stored event cannot be decrypted; it is shown without its body',
    );
    return null;
  }
}
