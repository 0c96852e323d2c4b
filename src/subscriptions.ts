import type { Subscriptions } from './context.ts';
import { followOrder } from './labs/appointments/follow-order.ts';
import { addStandardTests } from './labs/catalogue/sandbox/add-standard-tests.ts';
import { resendCritical } from './labs/results/publish-critical.ts';
import { askForAllRuns } from './wearables/ask-for-runs.ts';
import { connectedSources } from './wearables/connections/connected-sources.ts';
import { findLinkSessionOrNull } from './wearables/link/session.ts';

/**
 * Every call from a lower module to a higher module. Lower modules import nothing from higher ones, and call these
 * functions through `ctx`.
 */
export const subscriptions: Subscriptions = {
  teamCreated: [addStandardTests],
  orderStatusesAppended: [followOrder],
  orderEventsResent: [resendCritical],
  timeZoneChanged: [askForAllRuns],
  connectedSources,
  findLinkSessionOrNull,
};
