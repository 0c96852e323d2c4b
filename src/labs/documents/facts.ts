import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { findInsuranceOrNull, type StoredInsurance } from '../../insurance/find-latest.ts';
import type { BrandInformation } from '../../tenancy/teams/schemas.ts';
import { listLabAccounts } from '../catalogue/lab-accounts/find.ts';
import { findLab } from '../catalogue/labs.ts';
import { questionsOf, type MarkerQuestion } from '../catalogue/questions.ts';
import { findSignatureOrNull, type Signature } from '../orders/create/physician-signature.ts';
import type { LoadedOrder } from '../orders/load-order.ts';
import { findAreaOrNull } from '../locations/zip-codes.ts';

/** The laboratory, with the fields that documents print. */
type LabFacts = { name: string; address: string; clia_number: string | null };

export type Sender = {
  name: string;
  lines: string[];
  /** Contacts for questions: mail addresses, web pages, phone numbers or names. */
  contacts: string[];
};

/**
 * The data that the documents of an order print. We read and decrypt it at each request, because we store no document.
 */
export type OrderFacts = {
  order: LoadedOrder;
  sender: Sender;
  lab: LabFacts;
  insurance: StoredInsurance | null;
  /** The physician's signature that the client sent with the order. */
  signature: Signature | null;
  /**
   * The number that we issue for an order at a laboratory that takes orders electronically. Null until we issue it, and
   * for other laboratories.
   */
  laboratoryNumber: string | null;
  /** The account number of the order; null if it has none, or if nobody has chosen an account yet. */
  accountNumber: string | null;
  /** IANA name of the time zone of printed times: the patient's zone, or else the laboratory's. */
  zone: string;
  /** The laboratory's questions about those markers for which the order contains answers. */
  questions: MarkerQuestion[];
};

export async function factsOf(ctx: TeamCtx, order: LoadedOrder): Promise<OrderFacts> {
  const { user_id, health_insurance_id, aoe_answers } = order.row;
  const asking = new Set(aoe_answers?.map(({ marker_id }) => marker_id));
  const lab = await findLab(ctx, order.lab.id);
  const issued = await findIssuedOrNull(ctx, order);
  return {
    order,
    sender: await findSender(ctx),
    lab: labFacts(lab),
    zone: await zoneOf(ctx, order, lab.zipcode),
    signature: await findSignatureOrNull(ctx, order),
    laboratoryNumber: issued?.number ?? null,
    accountNumber: issued?.account_number ?? (await findAccountNumberOrNull(ctx, order)),
    questions: asking.size === 0 ? [] : await questionsOf(ctx, [...asking]),
    insurance: health_insurance_id === null ? null : await findInsuranceOrNull(ctx, user_id, health_insurance_id),
  };
}

type Issued = { number: string; account_number: string };

async function findIssuedOrNull(ctx: TeamCtx, { row }: LoadedOrder): Promise<Issued | undefined> {
  return ctx.db
    .selectFrom('order_numbers')
    .select(['number', 'account_number'])
    .where('user_id', '=', row.user_id)
    .where('order_id', '=', row.id)
    .executeTakeFirst();
}

async function findAccountNumberOrNull(ctx: TeamCtx, { row }: LoadedOrder): Promise<string | null> {
  if (row.lab_account_id === null) return null;
  const [account] = await listLabAccounts(ctx, { lab_account_id: row.lab_account_id });
  return account?.provider_account_id ?? null;
}

/**
 * Returns the time zone of the first of these that we know: the patient's zip code, the zip code to which the kit was
 * sent, the laboratory.
 */
async function zoneOf(ctx: TeamCtx, { row }: LoadedOrder, ofLab: string): Promise<string> {
  const ofPatient = row.patient_address?.zip ?? row.shipping_details?.zip ?? null;
  const area = (ofPatient === null ? null : await findAreaOrNull(ctx, ofPatient)) ?? (await findAreaOrNull(ctx, ofLab));
  return area?.iana_timezone ?? 'UTC';
}

/** Returns the team as the sender of documents. If the team has a brand, the sender has the name of the brand. */
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
