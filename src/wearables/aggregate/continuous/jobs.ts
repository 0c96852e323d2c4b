import { Type } from 'typebox';
import { defineJob } from '../../../db/define-job.ts';
import { defineTeamJob } from '../../../tenancy/teams/define-team-job.ts';
import { runKind, spreadKind } from '../../ask-for-runs.ts';
import { queryErasureKind } from './delete.ts';
import { eraseQuery } from './erase.ts';
import { resumeRuns } from './runs/resume-runs.ts';
import { runContinuousQuery } from './runs/run-continuous-query.ts';
import { spreadSome } from './runs/spread-query.ts';

/** The background jobs of continuous queries, for the list in jobs/. */
export const continuousQueryJobs = [
  defineTeamJob({ ...runKind, run: runContinuousQuery }),
  defineTeamJob({ ...spreadKind, run: spreadSome }),
  defineTeamJob({ ...queryErasureKind, run: eraseQuery }),
  defineJob({
    name: 'resume_continuous_queries',
    payload: Type.Object({}),
    cron: { at: '* * * * *', payload: {} },
    run: (ctx) => resumeRuns(ctx),
  }),
];
