import { newId } from '../ids.ts';

/** A line of the audit log: who read or changed which records. It has ids only, and no names, dates or other values. */
export type AuditEntry = {
  org_id: string | null;
  team_id: string | null;
  key_id: string | null;
  /** Who was signed in: a member, or a person of an EHR. */
  person_id: string | null;
  /** The kind of key, the name of the service's job, or `operator`. */
  actor: string;
  /** The id of the operation, an act of a job such as `user.erased`, or the words of the operator's command. */
  action: string;
  /** The status of the response. Null if there was no request. */
  status: number | null;
  /** The ids of the records that were read or changed, at most MAX_RECORDS. */
  records: string[];
  request_id: string | null;
  address: string | null;
};

/** The most ids in one line. The longest page of any list has fewer records, so its line names all of them. */
export const MAX_RECORDS = 1_000;

const COLUMNS = [
  'id',
  'org_id',
  'team_id',
  'key_id',
  'person_id',
  'actor',
  'action',
  'status',
  'records',
  'request_id',
  'address',
] as const;

export type AuditRow = AuditEntry & { id: string };

/** Adds a new id. The id contains the time, and so determines the partition of the month. */
export const toRow = (entry: AuditEntry): AuditRow => ({ id: newId(), ...entry });

/** Returns a statement that inserts one row. It can be sent together with a commit. */
export const insertOf = (entry: AuditEntry): { name: string; text: string; values: (string | null)[] } => {
  const row = toRow(entry);
  const parameters = COLUMNS.map((_, index) => `$${index + 1}`);
  return {
    name: 'phial_audit',
    text: `insert into audit_log (${COLUMNS.join(', ')}) values (${parameters.join(', ')})`,
    values: COLUMNS.map((name) => {
      const value = row[name];
      if (value === null) return null;
      return Array.isArray(value) ? `{${value.join(',')}}` : String(value);
    }),
  };
};
