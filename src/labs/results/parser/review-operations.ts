import { Type } from 'typebox';
import { operation } from '../../../operation/operation.ts';
import { ofTeam, TEAM_PATH } from '../../../tenancy/team-paths.ts';
import { correctReport } from './correct.ts';
import { findReview } from './find-review.ts';
import { listReviewsOfTeam } from './list-reviews.ts';
import { reviewJob } from './review.ts';
import {
  AcceptLabReportQuery,
  CorrectedReport,
  LabReportReviewPage,
  LabReportReviewQuery,
  LabReportToReview,
} from './schemas.ts';

const reviews = `${TEAM_PATH}/lab_report_review`;
const management = { tag: 'repairs', auth: 'management_key', scope: 'team' } as const;
const ofJob = Type.Object({
  ...ofTeam.properties,
  job_id: Type.String({ format: 'uuid', description: 'Id of the parsing job.' }),
});
const refusals = ['not_found', 'user_scheduled_for_deletion'] as const;

/** The operations with which a person reviews uploaded lab reports. */
export const labReportReviewOperations = [
  operation({
    ...management,
    id: 'list_lab_report_reviews',
    method: 'GET',
    path: reviews,
    params: ofTeam,
    query: LabReportReviewQuery,
    response: LabReportReviewPage,
    summary: 'List lab reports that wait for a review, or were accepted',
    description:
      'Of those that wait the oldest comes first, with the other values of `status` the newest. Entries have ids only.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query }) => listReviewsOfTeam(ctx, query),
  }),
  operation({
    ...management,
    id: 'get_lab_report_review',
    method: 'GET',
    path: `${reviews}/{job_id}`,
    params: ofJob,
    response: LabReportToReview,
    secretResponse: true,
    summary: 'Read a lab report to review it',
    description: 'What Phial read, with links to the files for 15 minutes.',
    refusals,
    handle: (ctx, { params: { job_id } }) => findReview(ctx, job_id),
  }),
  operation({
    ...management,
    id: 'correct_lab_report',
    method: 'PUT',
    path: `${reviews}/{job_id}/data`,
    params: ofJob,
    body: CorrectedReport,
    response: LabReportToReview,
    secretResponse: true,
    summary: 'Correct what Phial read in a lab report',
    description:
      'Replaces all data of a report that waits for its review, also of one in which nothing could be read. The rows ' +
      'are matched with LOINC and interpreted again. A result that is sent back as it was answered ' +
      'stays as it is. No event is published: the event of accept_lab_report has the corrected data. 404: no such report waits for a review.',
    refusals,
    handle: (ctx, { params: { job_id }, body }) => correctReport(ctx, job_id, body),
  }),
  operation({
    ...management,
    id: 'accept_lab_report',
    method: 'POST',
    path: `${reviews}/{job_id}/accept`,
    params: ofJob,
    query: AcceptLabReportQuery,
    response: LabReportToReview,
    secretResponse: true,
    summary: 'Record that a person has reviewed a lab report',
    description:
      'The event lab_report.parsing_job.updated tells the team. A second call changes nothing. 404: no such report ' +
      'needs a review. A report that names another patient than the user needs confirm_patient: 400 ' +
      'report_of_other_patient.',
    refusals: [...refusals, 'report_of_other_patient'],
    handle: (ctx, { params: { job_id }, query }) => reviewJob(ctx, job_id, query),
  }),
];
