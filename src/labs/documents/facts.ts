import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { findInsuranceOrNull, type StoredInsurance } from '../../insurance/find-latest.ts';
import type { BrandInformation } from '../../tenancy/teams/schemas.ts';
import { findLab } from '../catalogue/labs.ts';
import { questionsOf, type MarkerQuestion } from '../catalogue/questions.ts';
import { findSignatureOrNull, type Signature } from '../orders/create/signature.ts';
import type { LoadedOrder } from '../orders/load.ts';

/** The laboratory as documents name it. */
type LabFacts = { name: string; address: string; clia_number: string | null };

/** Whom a document is from. */
export type Sender = {
  name: string;
  lines: string[];
  /** Where questions go: an address of mail or of a page, a phone number or a name. */
  contacts: string[];
};

/** What the documents of an order are made of. It is read and opened at each request; no document is kept. */
export type OrderFacts = {
  order: LoadedOrder;
  sender: Sender;
  lab: LabFacts;
  insurance: StoredInsurance | null;
  /** The physician's, as it came with the order. */
  signature: Signature | null;
  /** By which a laboratory that is told by messages knows the order; null until it was issued, and elsewhere. */
  laboratoryNumber: string | null;
  /** What the laboratory asks with those markers for which the order has answers. */
  questions: MarkerQuestion[];
};

export async function factsOf(ctx: TeamCtx, order: LoadedOrder): Promise<OrderFacts> {
  const { user_id, health_insurance_id, aoe_answers } = order.row;
  const asking = new Set(aoe_answers?.map(({ marker_id }) => marker_id));
  return {
    order,
    sender: await findSender(ctx),
    lab: labFacts(await findLab(ctx, order.lab.id)),
    signature: await findSignatureOrNull(ctx, order),
    laboratoryNumber: await findLaboratoryNumberOrNull(ctx, order),
    questions: asking.size === 0 ? [] : await questionsOf(ctx, [...asking]),
    insurance: health_insurance_id === null ? null : await findInsuranceOrNull(ctx, user_id, health_insurance_id),
  };
}

async function findLaboratoryNumberOrNull(ctx: TeamCtx, { row }: LoadedOrder): Promise<string | null> {
  const issued = await ctx.db
    .selectFrom('order_numbers')
    .select('number')
    .where('user_id', '=', row.user_id)
    .where('order_id', '=', row.id)
    .executeTakeFirst();
  return issued?.number ?? null;
}

/** The team under the name of its brand, where it has one. */
export async function findSender(ctx: TeamCtx): Promise<Sender> {
  const { name } = await ctx.db
    .selectFrom('teams')
    .select('name')
    .where('id', '=', ctx.team.id)
    .executeTakeFirstOrThrow();
  const brand = ctx.team.settings['brand_information'] as Static<typeof BrandInformation> | null | undefined;
  const { company_name, company_address, support_contact, support_email, company_website } = brand ?? {};
  const contacts = [support_contact, support_email, company_website].filter((each) => !!each) as string[];
  const lines = [company_address, contacts.join('  ·  ')].filter((line) => !!line) as string[];
  return { name: company_name ?? name, lines, contacts };
}

const labFacts = ({
  name,
  first_line_address,
  city,
  state,
  zipcode,
  clia_number,
}: Awaited<ReturnType<typeof findLab>>): LabFacts => ({
  name,
  address: `${first_line_address}, ${city}, ${state} ${zipcode}`,
  clia_number,
});
