import type { Insertable } from 'kysely';
import type { TxCtx } from '../../context.ts';
import type { LabTests } from '../../db/tables.ts';
import { newId } from '../../ids.ts';

type NewLabTest = Omit<Insertable<LabTests>, 'id' | 'team_id'> & {
  /** Default: a new id. */
  id?: string;
  /** The markers in the order in which clients see them. */
  marker_ids: readonly number[];
};

/** The fields of a lab test or a marker from which we derive the fields of a combined lab test. */
type Part = { price: number | string | null; common_tat_days: number | null; worst_case_tat_days: number | null };

/**
 * Inserts lab tests of a team with their markers, and returns the ids of the inserted lab tests. It skips a lab test
 * whose slug the team already has.
 */
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

/**
 * Returns the sum of the prices, and the turnaround (the days until the result) of the slowest part. The turnaround is
 * null if we know none.
 */
export const sumOf = (parts: Part[]): Part & { price: string } => ({
  price: parts.reduce((sum, { price }) => sum + Number(price ?? 0), 0).toFixed(2),
  common_tat_days: longest(parts.map((part) => part.common_tat_days)),
  worst_case_tat_days: longest(parts.map((part) => part.worst_case_tat_days)),
});

function longest(days: (number | null)[]): number | null {
  const known = days.filter((each) => each !== null);
  return known.length === 0 ? null : Math.max(...known);
}
