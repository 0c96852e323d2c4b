import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { shownWidely } from './render.ts';
import type { ListedPatient } from './schemas.ts';
import { openOrder, type StoredOrder } from './sealed.ts';

type Stored = Pick<StoredOrder, 'id' | 'team_id' | 'personal' | 'patient_details'>;

/** Returns the patient of an order as a list shows it. Null if nobody is known yet. */
export function listedPatientOf(
  ctx: TeamCtx,
  { id, team_id, personal, patient_details }: Stored,
): Static<typeof ListedPatient> | null {
  const { patient_details: patient } = openOrder(ctx, { id, team_id, personal, patient_details } as StoredOrder);
  if (!patient) return null;
  const { first_name, last_name, dob, gender } = patient;
  // A person who is signed in acts on what is listed, and must not take one patient for another. Any caller of the page
  // of an order sees the names too.
  const all = ctx.person !== undefined || shownWidely(ctx) === 'all';
  return { first_name: all ? (first_name ?? null) : null, last_name: all ? (last_name ?? null) : null, dob, gender };
}
