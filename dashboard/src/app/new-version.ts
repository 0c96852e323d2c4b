const RELOADED_KEY = 'phial.reloaded-at';
const ONCE_IN_MS = 60_000;

/**
 * After an upgrade of the service the chunks of an open page are gone. Reloads the page, once: if a chunk is missing
 * for another reason, the page shows the error.
 */
export function reloadForNewVersion(): void {
  addEventListener('vite:preloadError', (event) => {
    if (Date.now() - Number(sessionStorage.getItem(RELOADED_KEY)) < ONCE_IN_MS) return;
    sessionStorage.setItem(RELOADED_KEY, String(Date.now()));
    event.preventDefault();
    location.reload();
  });
}
