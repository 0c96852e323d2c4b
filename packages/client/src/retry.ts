export type RetryOptions = {
  /** How often a request is sent again at most after a failure. Default: 3. With 0 it is sent once. */
  retries?: number;
};

export type Fetch = (request: Request, init: { signal: AbortSignal }) => Promise<Response>;

/** The first pause. Each further pause is twice as long. */
const PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;
/** A service that asks for a longer pause is asked again after this one. */
const MAX_ASKED_PAUSE_MS = 120_000;
/** While an earlier try goes on, its answer can come at any moment, so the pauses stay short. */
const MAX_FLIGHT_PAUSE_MS = 4_000;
/** A request of the service ends within this time. */
const MAX_FLIGHT_MS = 120_000;
/** The service refused for a moment, or it or a proxy failed. */
const WORTH_ANOTHER_TRY = new Set([429, 500, 502, 503, 504]);
/** A proxy got no response of the service. */
const OF_A_PROXY = new Set([502, 504]);
/** Operations without an idempotency key that use something up, or mail something: a code, a link, an invite. */
const ONCE = /\/(v2\/link\/code\/exchange|v1\/sign_in\/link|sign-in\/[^/]+|documents\/invite\/[^/]+)$/;
/** Their 404 is about the user, and never says that somebody has deleted the data. */
const DELETES_DATA = /\/v2\/(summary|timeseries)\//;

/**
 * Sends a request again after a pause if it failed. By the interface an operation takes an idempotency key, or its
 * repetition changes nothing more; those of ONCE are sent once. Waits as long as Retry-After says, at most two minutes.
 * If a try that got no response still runs, asks for its answer, for two minutes at most.
 */
export function retry(fetch: Fetch, { retries = 3 }: RetryOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const limit = isOnce(request) ? 0 : retries;
    const flight = { asked: 0, until: performance.now() + MAX_FLIGHT_MS };
    let isUnanswered = false;
    // Node loses the signal of a clone in its garbage collection, so each try gets that of the request.
    const { signal } = request;
    for (let sent = 0; ;) {
      const isLast = sent >= limit;
      const response = await fetch(limit === 0 ? request : request.clone(), { signal }).catch((error: unknown) => {
        if (isLast || signal.aborted) throw error;
        return null;
      });
      const again = response === null || WORTH_ANOTHER_TRY.has(response.status);
      const isInFlight =
        limit > 0 && performance.now() < flight.until && (await isCode(response, 'idempotency_in_flight'));
      if (response && !isInFlight && (isLast || !again))
        return isUnanswered && (await isGone(request, response)) ? Response.json({ success: true }) : response;
      await response?.body?.cancel();
      isUnanswered ||= response === null || OF_A_PROXY.has(response.status);
      const asked = response?.headers.get('retry-after') ?? null;
      await pause(isInFlight ? flightPauseMs(flight.asked++) : pauseMs(sent++, asked), signal);
    }
  };
}

const isOnce = ({ method, url }: Request): boolean => method === 'POST' && ONCE.test(new URL(url).pathname);

/** True if an earlier try, whose response got lost, has deleted the record. */
const isGone = async ({ method, url }: Request, response: Response): Promise<boolean> =>
  method === 'DELETE' && !DELETES_DATA.test(new URL(url).pathname) && (await isCode(response, 'not_found'));

async function isCode(response: Response | null, code: 'idempotency_in_flight' | 'not_found'): Promise<boolean> {
  if (response?.status !== (code === 'not_found' ? 404 : 409)) return false;
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as { code?: unknown } | null;
  return body?.code === code;
}

/** Clients that failed together must not come back together, so the pause is random from half of its length on. */
function pauseMs(sent: number, retryAfter: string | null): number {
  const asked = Number(retryAfter ?? Number.NaN) * 1_000;
  if (asked >= 0) return Math.min(asked, MAX_ASKED_PAUSE_MS);
  return growingPauseMs(sent, MAX_PAUSE_MS);
}

const flightPauseMs = (asked: number): number => growingPauseMs(asked, MAX_FLIGHT_PAUSE_MS);

/** Returns the pause after `before` earlier ones. */
export const growingPauseMs = (before: number, longest: number): number =>
  Math.min(PAUSE_MS * 2 ** before, longest) * (0.5 + Math.random() / 2);

/** Waits. Throws the reason of `signal` as soon as it aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
