import { Type } from 'typebox';
import { defineJob } from '../../../db/define-job.ts';
import { defineTeamJob } from '../../../tenancy/teams/define-team-job.ts';
import { ensureApplicationSubscriptions } from './ensure-application-subscriptions.ts';
import { askForUserSubscriptions, ensureUserSubscription } from './ensure-user-subscription.ts';
import { subscriptionKind } from './subscribe-user.ts';

/** The background jobs of subscriptions, for the list in jobs/. */
export const subscriptionJobs = [
  defineTeamJob({ ...subscriptionKind, run: ensureUserSubscription }),
  defineJob({
    name: 'keep_subscriptions',
    payload: Type.Object({}),
    cron: { at: '* * * * *', payload: {} },
    run: async (ctx) => {
      await askForUserSubscriptions(ctx);
      await ensureApplicationSubscriptions(ctx);
    },
  }),
];
