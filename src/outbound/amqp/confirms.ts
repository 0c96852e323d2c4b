// Tracks the published messages that the broker has not confirmed yet. AMQP numbers messages from 1. The broker
// confirms them in any order.

export type Confirms = {
  /**
   * Resolves when the broker has confirmed the next `many` messages. Call it again only after the promise has resolved.
   */
  expect: (many: number) => Promise<void>;
  hear: (confirm: { tag: number; multiple: boolean }) => void;
  fail: (error: Error) => void;
};

export function openConfirms(): Confirms {
  const open = new Set<number>();
  let published = 0;
  let waiting: { resolve: () => void; reject: (error: Error) => void } | null = null;
  let failed: Error | null = null;

  return {
    expect: (many) =>
      new Promise((resolve, reject) => {
        if (failed) return reject(failed);
        for (let n = 0; n < many; n += 1) open.add((published += 1));
        if (open.size === 0) return resolve();
        waiting = { resolve, reject };
      }),
    hear({ tag, multiple }) {
      // A confirm with `multiple` and tag 0 confirms all messages.
      if (multiple) for (const each of open) if (each <= tag || tag === 0) open.delete(each);
      open.delete(tag);
      if (open.size > 0) return;
      waiting?.resolve();
      waiting = null;
    },
    fail(error) {
      failed = error;
      waiting?.reject(error);
      waiting = null;
    },
  };
}
