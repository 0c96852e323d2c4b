/** The reasons why an import can fail, with a text for people. Data that the import had stored by then stays. */
const FAILURES = {
  archive_broken: 'The archive cannot be read. Export it again and send the whole archive.',
  archive_without_export:
    'The archive is not from Garmin, Google Takeout (Fitbit) or Samsung Health, and has no export.xml of Apple Health.',
  archive_too_large:
    'The archive exceeds a limit: it has too many entries, too many bytes when unpacked, or bytes that are packed ' +
    'too tightly.',
  file_broken: 'The file begins like a supported file, but it cannot be read to the end.',
  file_incomplete: 'The file is cut off. Export it again and send the whole file.',
  file_too_large: 'The file is larger than the limit for its kind.',
  file_gone:
    'The file is not in the upload directory. Send it again. If it happens again, the operator should check that all ' +
    'processes use one upload directory.',
  storage_full: 'The disk had no room to unpack the archive. Send it again later.',
  too_complex: 'Reading the file needed more memory than an import may use.',
  took_too_long:
    'Reading the file took more processor time, or storing its data took more time, than an import may use. What the ' +
    'import stored stays. Send the file again to continue.',
  interrupted: 'The import was interrupted too often. Send the file again.',
  limit_reached: 'The user has the maximum number of streams of samples.',
  not_found: 'The user was erased during the import.',
  user_scheduled_for_deletion: 'The user was scheduled for deletion during the import.',
} as const;

export type FailureCode = keyof typeof FAILURES;

export const isFailureCode = (code: unknown): code is FailureCode =>
  typeof code === 'string' && Object.hasOwn(FAILURES, code);

export const failureOf = (code: string): { code: string; message: string } => ({
  code,
  message: isFailureCode(code) ? FAILURES[code] : 'The import failed.',
});

/** Ends an import with one of these codes. The error has no text from the file, because that may be personal. */
export class ImportFailure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode) {
    super(code);
    this.name = 'ImportFailure';
    this.code = code;
  }
}
