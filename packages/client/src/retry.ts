export type RetryOptions = {
  /** How often a request is sent again at most. Default: 3. */
  retries?: number;
};

type Fetch = (request: Request) => Promise<Response>;

/** The first pause. Each further pause is twice as long. */
const PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;
/** The service refused for a moment, or it or a proxy failed. */
const WORTH_ANOTHER_TRY = new Set([429, 500, 502, 503, 504]);

/**
 * Sends a request again after a pause if it failed, whatever it does: by the interface, an operation takes an
 * idempotency key, or its repetition changes nothing more. Waits as long as Retry-After says, at most 30 seconds.
 */
export function retry(fetch: Fetch, { retries = 3 }: RetryOptions): Fetch {
  return async (request) => {
    for (let sent = 0; ; sent += 1) {
      const isLast = sent >= retries;
      const response = await (isLast ? fetch(request) : fetch(request.clone())).catch((error: unknown) => {
        if (isLast || request.signal.aborted) throw error;
        return null;
      });
      if (response && (isLast || !WORTH_ANOTHER_TRY.has(response.status))) return response;
      await response?.body?.cancel();
      await pause(pauseMs(sent, response?.headers.get('retry-after') ?? null), request.signal);
    }
  };
}

/** Clients that failed together must not come back together, so the pause is random from half of its length on. */
function pauseMs(sent: number, retryAfter: string | null): number {
  const asked = Number(retryAfter ?? Number.NaN) * 1_000;
  if (asked >= 0) return Math.min(asked, MAX_PAUSE_MS);
  return Math.min(PAUSE_MS * 2 ** sent, MAX_PAUSE_MS) * (0.5 + Math.random() / 2);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
