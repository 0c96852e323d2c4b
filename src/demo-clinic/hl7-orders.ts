import type { TeamCtx, TxCtx } from '../context.ts';
import { createLabTest } from '../labs/catalogue/own-tests/create.ts';
import { connectDemoLaboratory, DEMO_LABORATORY } from '../labs/laboratories/hl7/demo/demo-laboratory.ts';
import { findUserIdOrNull } from './find-user.ts';
import { PEOPLE, type Person } from './people.ts';
import { orderFrom } from './place-order.ts';

const MINUTE_MS = 60_000;
/** The laboratory reports some hours after the draw, and the newest order has its report already. */
const NEWEST_MINUTES = 200;
const APART_MINUTES = 45;
const METHOD = 'on_site_collection';

/** The people whose orders the laboratory refuses or reports with a mistake, and others whose orders go well. */
const SPECIAL: ReadonlySet<string | null> = new Set(['Refused', 'Misflagged', 'Miswritten']);
const ORDINARY = new Set([14, 16, 19]);

/**
 * Connects a laboratory that speaks HL7, and orders from it. Jobs send the orders and take the results in, as those of
 * any such laboratory, after this step.
 */
export async function orderByHl7(ctx: TxCtx<TeamCtx>): Promise<void> {
  await connectDemoLaboratory(ctx);
  const { id: lab_test_id } = await createLabTest(ctx, {
    name: 'Heart and sugar',
    description: 'Drawn by your own staff. The laboratory gets the order and sends the result by HL7.',
    method: METHOD,
    provider_ids: [DEMO_LABORATORY.code],
    marker_ids: null,
    fasting: true,
    lab_account_id: null,
    lab_slug: DEMO_LABORATORY.slug,
  });
  const positions = PEOPLE.flatMap(({ info }, n) => (SPECIAL.has(info.last_name) || ORDINARY.has(n) ? [n] : []));
  for (const [n, position] of positions.entries()) {
    const user_id = await findUserIdOrNull(ctx, position);
    if (user_id === null) continue;
    const minutes = NEWEST_MINUTES + n * APART_MINUTES;
    const placed = { ...ctx, happenedAt: new Date(Date.now() - minutes * MINUTE_MS).toISOString() };
    const patient = { user_id, person: PEOPLE[position] as Person, isInsured: false };
    await orderFrom(placed, patient, { lab_test_id, activate_by: null });
  }
}
