import type { TeamCtx, TxCtx } from '../context.ts';
import { AppError } from '../errors.ts';
import { createInsurance } from '../insurance/create.ts';
import { createUser } from '../users/create.ts';
import { putUserInfo } from '../users/info.ts';
import { connectWearables } from './connections.ts';
import { ordersOf } from './order-plans.ts';
import { addPastResults } from './past-results.ts';
import { PEOPLE, type Person } from './people.ts';
import { placeOrder } from './place-order.ts';

/** Every third person has an insurance, which pays the orders. */
const INSURED_EACH = 3;
/** How many people have results over a year. */
const WITH_PAST = 5;
const PAYORS = ['SBX00001', 'SBX00006', 'SBX00008'];

/** Makes a person with insurance, connections, orders and results. */
export async function addPerson(ctx: TxCtx<TeamCtx>, position: number): Promise<void> {
  const person = PEOPLE[position] as Person;
  const user_id = await makeUserOrNull(ctx, person);
  if (user_id === null) return;
  await putUserInfo(ctx, user_id, person.info);
  const isInsured = position % INSURED_EACH === 0;
  if (isInsured) await insure(ctx, user_id, { person, position });
  await connectWearables(ctx, position, user_id);
  const patient = { user_id, person, isInsured };
  if (position < WITH_PAST) await addPastResults(ctx, patient);
  for (const [n, plan] of ordersOf(position).entries()) {
    await placeOrder(ctx, patient, { plan, position: position + n * PEOPLE.length });
    await ctx.giveWay?.();
  }
}

/** Makes the user of a person. Null if the team has a user with the same client_user_id. */
async function makeUserOrNull(ctx: TxCtx<TeamCtx>, person: Person): Promise<string | null> {
  try {
    const { id } = await createUser(ctx, {
      client_user_id: person.client_user_id,
      fallback_time_zone: person.time_zone,
      fallback_birth_date: person.info.dob,
      ingestion_start: null,
      ingestion_end: null,
    });
    return id;
  } catch (error) {
    if (error instanceof AppError && error.code === 'client_user_id_conflict') return null;
    throw error;
  }
}

async function insure(
  ctx: TxCtx<TeamCtx>,
  userId: string,
  { person, position }: { person: Person; position: number },
): Promise<void> {
  const { first_name, last_name, gender, dob, email, phone_number, address } = person.info;
  await createInsurance(ctx, userId, {
    payor_code: PAYORS[position % PAYORS.length] as string,
    member_id: `DEMO${String(position + 1).padStart(6, '0')}`,
    group_id: null,
    relationship: 'Self',
    insured: { first_name, last_name, gender, dob, email, phone_number, address },
    guarantor: null,
    is_primary: true,
  });
}
