import type { Insertable } from 'kysely';
import type { TxCtx } from '../../context.ts';
import type { LabTests } from '../../db/tables.ts';
import { newId } from '../../ids.ts';

type NewLabTest = Omit<Insertable<LabTests>, 'id' | 'team_id'> & {
  /** Left out: a new one. */
  id?: string;
  /** In the order in which they are told. */
  marker_ids: readonly number[];
};

/** What lab tests, and markers, bring to one that is made of them. */
type Part = { price: number | string | null; common_tat_days: number | null; worst_case_tat_days: number | null };

/** Writes lab tests of a team with their markers; one whose slug the team has already is left out. Answers the ids of the others. */
export async function insertLabTests({ db }: TxCtx, teamId: string, tests: NewLabTest[]): Promise<string[]> {
  const rows = tests.map((test) => ({ ...test, id: test.id ?? newId() }));
  const made = await db
    .insertInto('lab_tests')
    .values(rows.map(({ marker_ids: _, ...row }) => ({ ...row, team_id: teamId })))
    .onConflict((oc) => oc.columns(['team_id', 'slug']).doNothing())
    .returning('id')
    .execute();
  const ids = made.map(({ id }) => id);
  const markers = rows
    .filter(({ id }) => ids.includes(id))
    .flatMap(({ id, marker_ids }) =>
      marker_ids.map((marker_id, position) => ({ lab_test_id: id, marker_id, position })),
    );
  if (markers.length > 0) await db.insertInto('lab_test_markers').values(markers).execute();
  return ids;
}

/** The price of parts together, and the days that the slowest of them takes, null where none is known. */
export const sumOf = (parts: Part[]): Part & { price: string } => ({
  price: parts.reduce((sum, { price }) => sum + Number(price ?? 0), 0).toFixed(2),
  common_tat_days: longest(parts.map((part) => part.common_tat_days)),
  worst_case_tat_days: longest(parts.map((part) => part.worst_case_tat_days)),
});

function longest(days: (number | null)[]): number | null {
  const known = days.filter((each) => each !== null);
  return known.length === 0 ? null : Math.max(...known);
}
