/** The columns of a line as it is shown: in the list, in both exports, and always by the same names. */
export const LINE_COLUMNS = `id, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  org_id, team_id, key_id, person_id, actor, action, status, records, request_id, host(address) as address`;

export type AuditLine = {
  id: string;
  created_at: string;
  org_id: string | null;
  team_id: string | null;
  key_id: string | null;
  person_id: string | null;
  actor: string;
  action: string;
  status: number | null;
  records: string[];
  request_id: string | null;
  address: string | null;
};
