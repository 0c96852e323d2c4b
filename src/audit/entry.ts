import { newId } from '../ids.ts';

/** A line of the audit log: who did or read what. Ids only: no names, dates, or other values. */
export type AuditEntry = {
  org_id: string | null;
  team_id: string | null;
  key_id: string | null;
  /** The kind of key, the name of the service's own task, or `operator`. */
  actor: string;
  /** The operation's id, what the task did, as `user.erased`, or the words of the operator's command. */
  action: string;
  /** Of the answer; null where no request was answered. */
  status: number | null;
  /** Ids of what was read or changed, at most MOST_RECORDS of them. */
  records: string[];
  request_id: string | null;
  address: string | null;
};

/** More than the longest page of any list names. */
export const MOST_RECORDS = 1_000;

const COLUMNS = [
  'id',
  'org_id',
  'team_id',
  'key_id',
  'actor',
  'action',
  'status',
  'records',
  'request_id',
  'address',
] as const;

export type AuditRow = AuditEntry & { id: string };

/** The entry under an id of its own: time-ordered, and the month's partition follows from it. */
export const toRow = (entry: AuditEntry): AuditRow => ({ id: newId(), ...entry });

/** The insert of one row, as a statement that travels with a commit. */
export const insertOf = (entry: AuditEntry): { name: string; text: string; values: (string | null)[] } => {
  const row = toRow(entry);
  return {
    name: 'phial_audit',
    text: `insert into audit_log (${COLUMNS.join(', ')}) values (${COLUMNS.map((_, index) => `$${index + 1}`).join(', ')})`,
    values: COLUMNS.map((name) => {
      const value = row[name];
      if (value === null) return null;
      return Array.isArray(value) ? `{${value.join(',')}}` : String(value);
    }),
  };
};
