import type { BrowserAnswer } from '../../../http/media.ts';
import { outcomeText, type LinkOutcome } from '../outcome.ts';
import { escapeHtml, layout } from '../../../http/page.ts';

/** Where a browser ends that has nowhere else to go. */
export const donePath = (outcome: LinkOutcome): string =>
  outcome === 'success' ? '/link/done?state=success' : `/link/done?state=error&error_type=${outcome}`;

/** What the user can do next. */
const NEXT: Partial<Record<LinkOutcome, string>> = {
  success: 'You can close this page now.',
  provider_api_error: 'You can go back to do so, or close this page.',
  required_scopes_not_granted: 'You can go back to do so, or close this page.',
  user_cancelled: 'You can go back, or close this page.',
};

/** Tells a user what became of it. Nothing in it comes from the address. */
export function outcomePage(outcome: LinkOutcome): BrowserAnswer {
  const next = NEXT[outcome] ?? 'You can close this page.';
  const title = outcome === 'success' ? 'Connected' : 'Not connected';
  return layout(title, `<p>${escapeHtml(outcomeText(outcome))} ${next}</p>`);
}
