import { Type } from 'typebox';
import { endpoint } from '../../../http/endpoint.ts';
import { attachment, multipart } from '../../../http/media.ts';
import { createJob } from './create-job.ts';
import { findJob } from './find-job.ts';
import { openDocument } from './open-document.ts';
import { ParserJobFields, ParsingJobWithFiles } from './schemas.ts';

const tag = 'lab_reports';
const MOST_FILES = 10;
const MOST_FORM_BYTES = 50 * 1024 * 1024;

export const labReportEndpoints = [
  endpoint({
    id: 'create_lab_report_parser_job',
    method: 'POST',
    path: '/lab_report/v1/parser/job',
    tag,
    closedBeta: 'lab_report_parser',
    body: multipart(ParserJobFields, { file: 'file', maxFiles: MOST_FILES, maxBytes: MOST_FORM_BYTES }),
    response: ParsingJobWithFiles,
    summary: 'Send a lab report to be read',
    description:
      'One report as one or more files: PDFs of at most 20 MiB and 100 pages, JPEG or PNG images of at most 64 million pixels. What a ' +
      'file is its own bytes tell. The text of a PDF is read after the answer, one report of a team at a time; images are ' +
      'stored and marked needs_human_review, since no letters are recognised in pictures. The event ' +
      'lab_report.parsing_job.updated tells of the end. Under the same X-Idempotency-Key the same files answer as at first, also with ' +
      'the links of that time; GET gives new ones.',
    refusals: [
      'not_found',
      'user_scheduled_for_deletion',
      'file_not_recognised',
      'file_too_large',
      'limit_reached',
      'storage_full',
    ],
    handle: (ctx, { body }) => createJob(ctx, body),
  }),
  endpoint({
    id: 'get_lab_report_parser_job',
    method: 'GET',
    path: '/lab_report/v1/parser/job/{job_id}',
    tag,
    closedBeta: 'lab_report_parser',
    params: Type.Object({ job_id: Type.String({ format: 'uuid', description: 'Id of the parsing job.' }) }),
    response: ParsingJobWithFiles,
    summary: 'Read what was read of a lab report',
    description:
      'What could not be matched has no LOINC code, and what could not be read is not there: needs_human_review then says so.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { job_id } }) => findJob(ctx, job_id),
  }),
  endpoint({
    id: 'download_lab_report',
    method: 'GET',
    path: '/documents/lab_report/{token}',
    tag,
    auth: 'signature',
    params: Type.Object({ token: Type.String({ maxLength: 200, description: 'The last part of the link.' }) }),
    response: attachment,
    summary: 'Save a file of a lab report',
    description:
      'By the link of a parsing job, which is good for 15 minutes: the file as it was sent, always as an attachment.',
    handle: (ctx) => openDocument(ctx),
  }),
];
