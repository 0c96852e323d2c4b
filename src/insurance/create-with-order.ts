import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../context.ts';
import { newId } from '../ids.ts';
import { createInsurance } from './create.ts';
import type { StoredInsurance } from './find-latest.ts';
import type { HealthInsuranceInput, InsuranceInput } from './schemas.ts';

type Input = Static<typeof HealthInsuranceInput>;
type Person = Static<typeof InsuranceInput>['insured'];

const DOCUMENTS = ['front_image', 'back_image', 'patient_signature_image', 'subjective', 'assessment_plan'] as const;

/**
 * Stores the insurance from a request for an order as an insurance record of the user. The same rules apply as for
 * every other record.
 */
export async function createInsuranceWithOrder(
  ctx: TxCtx<TeamCtx>,
  userId: string,
  input: Input,
  patient: Person,
): Promise<StoredInsurance> {
  const { responsible_relationship: relationship } = input;
  // If the insured is not the patient, the rule insuredUnlessSelf has checked that the insured's data are complete. The
  // insured is then also the guarantor, who must pay the bill.
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
