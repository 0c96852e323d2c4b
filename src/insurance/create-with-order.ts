import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../context.ts';
import { newId } from '../ids.ts';
import { createInsurance } from './create.ts';
import type { StoredInsurance } from './find-latest.ts';
import type { HealthInsuranceInput, InsuranceInput } from './schemas.ts';

type Input = Static<typeof HealthInsuranceInput>;
type Person = Static<typeof InsuranceInput>['insured'];

const DOCUMENTS = ['front_image', 'back_image', 'patient_signature_image', 'subjective', 'assessment_plan'] as const;

/** Keeps the insurance that came with an order as a record of its user, under the rules of every record. */
export async function createInsuranceWithOrder(
  ctx: TxCtx<TeamCtx>,
  userId: string,
  input: Input,
  patient: Person,
): Promise<StoredInsurance> {
  const { responsible_relationship: relationship } = input;
  // Somebody else who is insured has been told whole: the rule insuredUnlessSelf. Who is responsible answers for the bill.
  const other = relationship === 'Self' ? null : (input.responsible_details as Person);
  const record = await createInsurance(ctx, userId, {
    payor_code: input.payor_code,
    member_id: input.insurance_id,
    relationship,
    is_primary: true,
    insured: other ?? patient,
    guarantor: other && {
      first_name: other.first_name,
      last_name: other.last_name,
      address: other.address,
      phone_number: other.phone_number,
      email: other.email,
    },
  });
  for (const kind of DOCUMENTS) {
    const content = input[kind];
    if (content === undefined || content === null) continue;
    const row = { team_id: ctx.team.id, id: newId() };
    await ctx.db
      .insertInto('insurance_documents')
      .values({
        ...row,
        user_id: userId,
        insurance_id: record.id,
        kind,
        content: ctx.cipher.sealJson('insurance_documents.content', row, content),
      })
      .execute();
  }
  return record;
}
