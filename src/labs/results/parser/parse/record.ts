/** A row of a table as the report has it. */
export type ReadRow = {
  name: string;
  value: string;
  unit: string | null;
  range: string | null;
  flag: string | null;
  panel: string | null;
};

/** What stands above the table, dates as YYYY-MM-DD. */
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
  /** Lines that hold a figure but are no row that could be read, and pages without text: somebody has to look. */
  unread: number;
};

/** What the process that reads a file says in the end. */
export type Said = { report: ReadReport } | { failed: 'invalid_input' | 'too_many_pages' | 'processing_error' };

export const MOST_PAGES = 100;
export const MOST_ROWS = 200;
/** Longer texts are no name, value or unit. */
export const LONGEST_TEXT = 200;
