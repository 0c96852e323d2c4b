import pg from 'pg';
import type { Logger } from '../log.ts';
import { Outage } from './session/outage.ts';

export type Listener = {
  /** Resolves when the first connection listens. */
  ready: Promise<void>;
  close: () => Promise<void>;
};

const RETRY_MS = 250;
const PING_MS = 5_000;

/**
 * Opens one connection that listens for notifications, and reconnects when it is lost. While it is lost, notifications
 * are lost too. So this function calls `onLost` as soon as the connection is lost, and `onListening` after each
 * connect. Callers must then discard what they cached before. The connection holds an advisory lock on the name that
 * `lock` returns. By this lock, other processes know that this process is alive.
 */
export function openListener(options: {
  url: string;
  channels: Record<string, (payload: string) => void>;
  /** Called after each connect. It returns a name that no other process locks, or null. */
  lock?: () => string | null;
  onLost?: () => void;
  onListening?: () => void;
  log: Logger;
}): Listener {
  const outage = new Outage(options.log, 'the listening connection cannot be opened; trying again');
  let closed = false;
  let client: pg.Client | null = null;
  let retry: NodeJS.Timeout | undefined;
  let resolveReady: () => void;
  const ready = new Promise<void>((resolve) => {
    resolveReady = resolve;
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
      resolveReady();
    } catch (error) {
      if (!closed) outage.met(error);
      lost(fresh);
    }
  };

  // A network that drops packets does not break the connection. We notice it only because a query gets no response, so
  // we send one regularly.
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
      resolveReady();
    },
  };
}
