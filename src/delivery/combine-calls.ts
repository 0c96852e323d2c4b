/**
 * Returns a function that combines many calls into one call of `wake`. It calls `wake` after `most` calls, or `ms`
 * after the first call.
 */
export function combineCalls(wake: () => void, { most, ms }: { most: number; ms: number }): () => void {
  let timer: NodeJS.Timeout | null = null;
  let come = 0;
  const end = (): void => {
    if (timer) clearTimeout(timer);
    timer = null;
    come = 0;
    wake();
  };
  return () => {
    come += 1;
    if (come >= most) end();
    else timer ??= setTimeout(end, ms);
  };
}
