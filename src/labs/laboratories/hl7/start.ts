import type { Ctx } from '../../../context.ts';
import { openReceiver } from './inbox/receive.ts';
import { listenForLaboratories } from './transport/listen.ts';
import { watchFolders } from './transport/watch-folder.ts';

export type Hl7 = { port: number | null; stop: () => Promise<void> };

/** Takes what laboratories send, by MLLP and in folders, until stopped. */
export async function startHl7(ctx: Ctx): Promise<Hl7> {
  const receive = openReceiver(ctx);
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
