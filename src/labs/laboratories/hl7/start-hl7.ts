import type { Ctx } from '../../../context.ts';
import { openInbox } from './open-inbox.ts';
import { listenForLaboratories } from './transport/listen-for-laboratories.ts';
import { watchFolders } from './transport/watch-folder.ts';

export type Hl7 = { port: number | null; stop: () => Promise<void> };

/** Receives messages of laboratories from folders and by MLLP (HL7's protocol on TCP), until `stop`. */
export async function startHl7(ctx: Ctx): Promise<Hl7> {
  const receive = openInbox(ctx);
  const listener = await listenForLaboratories(ctx, receive);
  const watcher = watchFolders(ctx, receive);
  return {
    port: listener?.port ?? null,
    stop: async () => {
      await listener?.close();
      await watcher.stop();
    },
  };
}
