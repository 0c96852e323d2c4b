/** Calls `wake` once for what comes one by one: when `most` have come, or `ms` after the first of them. */
export function gather(wake: () => void, { most, ms }: { most: number; ms: number }): () => void {
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
