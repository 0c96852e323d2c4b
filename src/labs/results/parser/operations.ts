import { Type } from 'typebox';
import { operation } from '../../../operation/operation.ts';
import { attachment, multipart } from '../../../operation/media.ts';
import { createJob } from './create-job.ts';
import { findJob } from './find-job.ts';
import { openDocument } from './open-document.ts';
import { ParserJobFields, ParsingJobWithFiles } from './schemas.ts';

const tag = 'lab_reports';
const MAX_FILES = 10;
const MAX_FORM_BYTES = 50 * 1024 * 1024;

export const labReportOperations = [
  operation({
    id: 'create_lab_report_parser_job',
    method: 'POST',
    path: '/lab_report/v1/parser/job',
    tag,
    beta: 'lab_report_parser',
    body: multipart(ParserJobFields, { file: 'file', maxFiles: MAX_FILES, maxBytes: MAX_FORM_BYTES }),
    response: ParsingJobWithFiles,
    summary: 'Send a lab report to be read',
    description:
      'Send one report as one or more files: PDFs of at most 20 MiB and 100 pages, JPEG or PNG images of ' +
      'at most 64 million pixels. The bytes of a file determine its type. We read the text of PDFs after ' +
      'the response, one report of a team at a time. Images are stored and marked needs_human_review, ' +
      'because we do not recognise text in images. The event lab_report.parsing_job.updated reports the ' +
      'end. With the same X-Idempotency-Key and the same files, the response is the first one again, ' +
      'including its old links; GET returns new links.',
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
  operation({
    id: 'get_lab_report_parser_job',
    method: 'GET',
    path: '/lab_report/v1/parser/job/{job_id}',
    tag,
    beta: 'lab_report_parser',
    params: Type.Object({ job_id: Type.String({ format: 'uuid', description: 'Id of the parsing job.' }) }),
    response: ParsingJobWithFiles,
    summary: 'Read the data of a lab report',
    description:
      'A result that could not be matched has no LOINC code. What could not be read is missing, and then ' +
      'needs_human_review is true.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { job_id } }) => findJob(ctx, job_id),
  }),
  operation({
    id: 'download_lab_report',
    method: 'GET',
    path: '/documents/lab_report/{token}',
    tag,
    auth: 'signature',
    params: Type.Object({ token: Type.String({ maxLength: 200, description: 'The last part of the link.' }) }),
    response: attachment,
    summary: 'Save a file of a lab report',
    description:
      'The file of a link in a parsing job, as it was sent, always as an attachment. A link is valid for 15 minutes.',
    handle: (ctx) => openDocument(ctx),
  }),
];
