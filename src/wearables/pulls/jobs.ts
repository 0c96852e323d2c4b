import { Type } from 'typebox';
import { defineJob } from '../../db/define-job.ts';
import { defineTeamJob } from '../../tenancy/teams/define-team-job.ts';
import { pollKind } from './poll-lease.ts';
import { pollConnection } from './poll.ts';
import { pullWindow } from './pull-window.ts';
import { resumePulls } from './resume-pulls.ts';
import { pullKind } from './schedule-pulls.ts';

/** The background jobs of pulls, for the list in jobs/. */
export const pullJobs = [
  defineTeamJob({ ...pullKind, run: pullWindow }),
  defineTeamJob({ ...pollKind, run: pollConnection }),
  defineJob({
    name: 'resume_pulls',
    payload: Type.Object({}),
    cron: { at: '* * * * *', payload: {} },
    run: (ctx) => resumePulls(ctx),
  }),
];
