import { Type } from 'typebox';
import { defineJob } from '../../../db/define-job.ts';
import { defineTeamJob } from '../../../tenancy/teams/define-team-job.ts';
import { keepApplicationSubscriptions } from './keep-application.ts';
import { askForUserSubscriptions, keepUserSubscription } from './keep-user.ts';
import { subscriptionKind } from './subscribe-user.ts';

/** Background work of subscriptions, as jobs/ lists it. */
export const subscriptionJobs = [
  defineTeamJob({ ...subscriptionKind, run: keepUserSubscription }),
  defineJob({
    name: 'keep_subscriptions',
    payload: Type.Object({}),
    cron: { at: '* * * * *', payload: {} },
    run: async (ctx) => {
      await askForUserSubscriptions(ctx);
      await keepApplicationSubscriptions(ctx);
    },
  }),
];
