/**
 * Runs `work` with a signal that is aborted when the time is over or `outer` is; afterwards nothing of it is left.
 *
 * AbortSignal.any would leave 0.4 KB and more of each call at `outer` for as long as that lives (Node 20, nodejs/node#54614):
 * at the signal by which a process stops, until it does.
 */
export async function withinTime<T>(
  { ms, outer }: { ms: number; outer?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(outer?.reason);
  const timer = setTimeout(() => controller.abort(new DOMException('The time is over.', 'TimeoutError')), ms);
  outer?.addEventListener('abort', stop, { once: true });
  if (outer?.aborted) stop();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', stop);
  }
}
