import type { Ctx } from './context.ts';
import { followOrder } from './labs/appointments/follow-order.ts';
import { addStandardTests } from './labs/catalogue/sandbox/add-standard-tests.ts';
import { askForAllRuns } from './wearables/ask-for-runs.ts';
import { connectedSources } from './wearables/connections/connected-sources.ts';
import { findLinkSessionOrNull } from './wearables/link/session.ts';

/** What the wings give to those below them, which know nothing of the wings. */
export const wings: Pick<
  Ctx,
  'newTeam' | 'followOrder' | 'followTimeZone' | 'connectedSources' | 'findLinkSessionOrNull'
> = {
  newTeam: [addStandardTests],
  followOrder,
  followTimeZone: askForAllRuns,
  connectedSources,
  findLinkSessionOrNull,
};
