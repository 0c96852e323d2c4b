import { useEffect } from 'react';

/** Longer than Mantine takes to return the focus by itself. */
const PATIENCE_MS = 30;

/**
 * Gives the focus back to what opened a dialogue. Mantine does so for a dialogue that stays mounted while it is closed,
 * and not for one that a menu opened.
 */
export function useOpenerFocus(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const opener = openerOf(document.activeElement);
    return () => {
      setTimeout(() => {
        const isLost = document.activeElement === null || document.activeElement === document.body;
        if (!isLost) return;
        // What opened it may have gone away with the row that it changed. Then a reader begins at the heading.
        if (opener?.isConnected) opener.focus();
        else document.querySelector<HTMLElement>('h1.page-title')?.focus();
      }, PATIENCE_MS);
    };
  }, [isOpen]);
}

/** An item of a menu goes away with its menu, so the button of the menu takes the focus. */
function openerOf(element: Element | null): HTMLElement | null {
  const buttonId = element?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = buttonId ? document.getElementById(buttonId) : element;
  return opener instanceof HTMLElement ? opener : null;
}

/** Mantine gives the focus to the first control of a dialogue, the button that closes it, if nothing is marked. */
export function markFirstField(form: HTMLFormElement | null): void {
  if (!form || form.querySelector('[data-autofocus]')) return;
  const field = form.querySelector('input:not([type="hidden"], :disabled), textarea, select');
  (field ?? form.querySelector('button'))?.setAttribute('data-autofocus', 'true');
}
