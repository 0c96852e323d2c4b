/**
 * Runs `work` with a signal that aborts when the time is over or when `outer` aborts. Afterwards it leaves no listener
 * on `outer`.
 * `outer` can be the signal that stops the process, which exists as long as the process. AbortSignal.any would leave at
 * least 0.4 KB on this signal at each call (Node 20, nodejs/node#54614).
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
