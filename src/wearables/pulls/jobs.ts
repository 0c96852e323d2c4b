import { Type } from 'typebox';
import { defineJob } from '../../db/define-job.ts';
import { pollConnection, pollKind } from './poll.ts';
import { pullWindow } from './pull-window.ts';
import { resumePulls } from './resume.ts';
import { pullKind } from './schedule.ts';

/** Background work of pulls, as jobs/ lists it. */
export const pullJobs = [
  defineJob({ ...pullKind, run: pullWindow, waits: true }),
  defineJob({ ...pollKind, run: pollConnection, waits: true }),
  defineJob({
    name: 'resume_pulls',
    payload: Type.Object({}),
    cron: { at: '* * * * *', payload: {} },
    run: (ctx) => resumePulls(ctx),
  }),
];
