import { Type } from 'typebox';
import { defineJob } from '../../db/define-job.ts';
import { pollKind } from './poll-lease.ts';
import { pollConnection } from './poll.ts';
import { pullWindow } from './pull-window.ts';
import { resumePulls } from './resume.ts';
import { pullKind } from './schedule.ts';

/** Background work of pulls, as jobs/ lists it. */
export const pullJobs = [
  defineJob({ ...pullKind, run: pullWindow }),
  defineJob({ ...pollKind, run: pollConnection }),
  defineJob({
    name: 'resume_pulls',
    payload: Type.Object({}),
    cron: { at: '* * * * *', payload: {} },
    run: (ctx) => resumePulls(ctx),
  }),
];
