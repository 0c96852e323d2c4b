import { sql } from 'kysely';
import type { AuditLine } from '../audit/line-columns.ts';
import type { TeamsCtx } from '../context.ts';

/** A line with the name of the person who was signed in. Null if the person was removed, and for other callers. */
export type NamedLine = AuditLine & { person_name: string | null };

/** Adds the names of people to lines of the organisation's audit log. It reads each person once. */
export async function namePeople(ctx: TeamsCtx, lines: AuditLine[]): Promise<NamedLine[]> {
  const ids = [...new Set(lines.flatMap(({ person_id }) => person_id ?? []))];
  const names = ids.length === 0 ? new Map<string, string>() : await namesOf(ctx, ids);
  return lines.map((line) => ({ ...line, person_name: names.get(line.person_id ?? '') ?? null }));
}

async function namesOf({ db, org, cipher }: TeamsCtx, ids: string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const table of ['org_members', 'ehr_members'] as const) {
    const rows = await db
      .selectFrom(table)
      .select(['id', 'person'])
      .where('org_id', '=', org.id)
      .where(sql<boolean>`id = any (${ids}::uuid[])`)
      .execute();
    for (const { id, person } of rows)
      names.set(id, cipher.openJson<{ name: string }>(`${table}.person`, { team_id: org.id, id }, person).name);
  }
  return names;
}
