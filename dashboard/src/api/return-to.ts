// Remembers the page that was asked for, because the link of a mail opens in another tab.
const KEY = 'phial.return-to';
const LASTS_MS = 3_600_000;

/** Only a page of the dashboard: an address in a link may come from anybody. */
const isOurs = (path: unknown): path is string => typeof path === 'string' && /^\/(?![/\\])/.test(path);

export function rememberPage(path: unknown): void {
  if (isOurs(path) && path !== '/') localStorage.setItem(KEY, JSON.stringify({ path, at: Date.now() }));
}

/** Returns the path below /dashboard, once. */
export function takePage(): string | null {
  const stored = localStorage.getItem(KEY);
  localStorage.removeItem(KEY);
  if (stored === null) return null;
  const { path, at } = JSON.parse(stored) as { path: unknown; at: number };
  return isOurs(path) && Date.now() - at < LASTS_MS ? path : null;
}
