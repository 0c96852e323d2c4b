const CHANGES =
  /(?<!\bfor |\bkey |\bdo )\b(insert into|update|delete from|merge into)\s+(?:only\s+)?"?([a-z_][\w.]*)"?/i;
const READS = /\bfrom\s+(?:only\s+)?"?([a-z_][\w.]*)"?/i;

/**
 * Returns a short name of a statement: its keyword and its first table, such as `insert events`. A statement with
 * several parts is named by the first part that changes something. The name contains no value and no parameter.
 */
export function statementName(sql: string): string {
  const change = CHANGES.exec(sql);
  if (change) return `${(change[1] as string).split(/\s/, 1)[0]?.toLowerCase()} ${change[2]}`;
  const keyword = /^\W*([a-z]+)/i.exec(sql)?.[1]?.toLowerCase() ?? 'statement';
  const table = READS.exec(sql)?.[1];
  if (table === undefined) return keyword;
  return `${keyword === 'with' ? 'select' : keyword} ${table}`;
}
