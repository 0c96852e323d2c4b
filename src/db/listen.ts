import pg from 'pg';
import type { Logger } from '../log.ts';
import { Outage } from './session/outage.ts';

export type Listener = {
  /** Settles when the first connection listens. */
  ready: Promise<void>;
  close: () => Promise<void>;
};

const RETRY_MS = 250;
const PING_MS = 5_000;

/**
 * Keeps one connection listening. Notifications sent while it is cut are lost, so `onLost` is called at once
 * and `onListening` after each (re)connection: callers must not trust what they heard before. `lock` names what the
 * connection holds an advisory lock on for as long as it lasts, which is how others see that this process lives.
 */
export function openListener(options: {
  url: string;
  channels: Record<string, (payload: string) => void>;
  /** Asked for at each (re)connection: a name that nobody else locks. */
  lock?: () => string | null;
  onLost?: () => void;
  onListening?: () => void;
  log: Logger;
}): Listener {
  const outage = new Outage(options.log, 'the listening connection cannot be opened; trying again');
  let closed = false;
  let client: pg.Client | null = null;
  let retry: NodeJS.Timeout | undefined;
  let settleReady: () => void;
  const ready = new Promise<void>((resolve) => {
    settleReady = resolve;
  });

  const lost = (dead: pg.Client): void => {
    if (client !== dead) return;
    client = null;
    options.onLost?.();
    dead.end().catch(() => undefined);
    if (!closed) retry = setTimeout(() => void connect(), RETRY_MS);
  };

  const connect = async (): Promise<void> => {
    const fresh = new pg.Client({
      connectionString: options.url,
      application_name: 'phial listener',
      keepAlive: true,
      query_timeout: PING_MS,
    });
    client = fresh;
    fresh.on('error', () => lost(fresh));
    fresh.on('end', () => lost(fresh));
    fresh.on('notification', ({ channel, payload = '' }) => options.channels[channel]?.(payload));
    try {
      await fresh.connect();
      const name = options.lock?.() ?? null;
      if (name !== null) await fresh.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
      for (const channel of Object.keys(options.channels)) await fresh.query(`listen ${pg.escapeIdentifier(channel)}`);
      outage.over();
      options.onListening?.();
      settleReady();
    } catch (error) {
      if (!closed) outage.met(error);
      lost(fresh);
    }
  };

  // A network that swallows packets breaks no connection: only an unanswered query tells.
  const ping = setInterval(() => {
    const current = client;
    current?.query('select 1').catch(() => lost(current));
  }, PING_MS);
  ping.unref();

  void connect();
  return {
    ready,
    close: async () => {
      closed = true;
      clearInterval(ping);
      clearTimeout(retry);
      const last = client;
      client = null;
      await last?.end().catch(() => undefined);
      settleReady();
    },
  };
}
