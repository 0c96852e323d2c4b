/** A row of a table in a report. */
export type ReadRow = {
  name: string;
  value: string;
  unit: string | null;
  range: string | null;
  flag: string | null;
  panel: string | null;
};

/** The facts that a report prints above its table. Dates have the form YYYY-MM-DD. */
export type ReadHeader = {
  patient_first_name: string | null;
  patient_last_name: string | null;
  dob: string | null;
  gender: 'male' | 'female' | null;
  lab_name: string | null;
  date_reported: string | null;
  date_collected: string | null;
  specimen_number: string | null;
};

export type ReadReport = {
  header: ReadHeader;
  rows: ReadRow[];
  /**
   * The lines that contain a figure but that we could not read as a row, plus the pages without text. Unless this is 0,
   * a person must review the report.
   */
  unread: number;
  /** The first of these lines, as the report prints them. */
  unread_lines: string[];
};

/** The output of the process that reads a file. */
export type ParserOutput = { report: ReadReport } | { failed: 'invalid_input' | 'too_many_pages' | 'processing_error' };

export const MAX_PAGES = 100;
export const MAX_ROWS = 200;
export const MAX_UNREAD_LINES = 20;
/** Names, values and units are never longer than this. */
export const LONGEST_TEXT = 200;
