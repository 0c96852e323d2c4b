import { defineEvent } from '../../../events/define.ts';
import { ParsingJob } from './schemas.ts';

export const parsingJobCreated = defineEvent({
  name: 'lab_report.parsing_job.created',
  data: ParsingJob,
  summary: 'A lab report was sent and waits to be read.',
});

export const parsingJobUpdated = defineEvent({
  name: 'lab_report.parsing_job.updated',
  data: ParsingJob,
  summary: 'A lab report was read, could not be read, or was reviewed.',
});
