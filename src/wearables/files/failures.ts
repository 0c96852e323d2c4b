/** Why an import can end before its end, as people read it. What was stored until then stays. */
const FAILURES = {
  archive_broken: 'The archive cannot be read. Export it again and send it whole.',
  archive_without_export:
    'The archive is none of Garmin, Google Takeout (Fitbit) or Samsung Health, and holds no export.xml of Apple Health.',
  archive_too_large:
    'The archive holds more than is taken: too many entries, more bytes when unpacked than one may hold, or bytes packed too ' +
    'tightly.',
  file_broken: 'The file is not what it begins as: it cannot be read from some place on.',
  file_incomplete: 'The file ends before its end. Export it again and send it whole.',
  file_too_large: 'A file of this kind is not taken at this size.',
  file_gone:
    'The file is not where uploads lie. Send it again; the operator may have to let all processes see one upload directory.',
  storage_full: 'There was no room on the disk to unpack what the archive holds. Send it again later.',
  too_complex: 'Reading the file took more memory than an import has.',
  took_too_long:
    'Reading the file took more processor time, or storing what it holds more time, than an import has. What it stored ' +
    'stays; sent again it goes on from there.',
  interrupted: 'The import was interrupted again and again. Send the file again.',
  limit_reached: 'The user has as many streams of samples as a user can have.',
  not_found: 'The user is gone.',
  user_scheduled_for_deletion: 'The user was scheduled for deletion meanwhile.',
} as const;

export type FailureCode = keyof typeof FAILURES;

export const isFailureCode = (code: unknown): code is FailureCode =>
  typeof code === 'string' && Object.hasOwn(FAILURES, code);

export const failureOf = (code: string): { code: string; message: string } => ({
  code,
  message: isFailureCode(code) ? FAILURES[code] : 'The import could not be finished.',
});

/** Ends an import with a code; nothing of the file is in it. */
export class ImportFailure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode) {
    super(code);
    this.name = 'ImportFailure';
    this.code = code;
  }
}
