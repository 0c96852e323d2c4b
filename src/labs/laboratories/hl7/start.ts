import type { Ctx } from '../../../context.ts';
import { listenForLaboratories } from './transport/listen.ts';
import { watchFolders } from './transport/watch-folder.ts';

export type Hl7 = { port: number | null; stop: () => Promise<void> };

/** Takes what laboratories send, by MLLP and in folders, until stopped. */
export async function startHl7(ctx: Ctx): Promise<Hl7> {
  const listener = await listenForLaboratories(ctx);
  const watcher = watchFolders(ctx);
  return {
    port: listener?.port ?? null,
    stop: async () => {
      await listener?.close();
      await watcher.stop();
    },
  };
}
