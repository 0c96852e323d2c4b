import { Type } from 'typebox';
import { operation } from '../operation/operation.ts';
import { Uuid, withDefault } from '../wire/schema.ts';
import { createInsurance } from './create.ts';
import { createPayor } from './create-payor.ts';
import { checkIcdCodes } from './diagnoses/check.ts';
import { Diagnosis, DiagnosisSearch, IcdCodesAnswer, IcdCodesInput } from './diagnoses/schemas.ts';
import { searchDiagnoses } from './diagnoses/search-diagnoses.ts';
import { findLatestInsurance } from './find-latest.ts';
import { Insurance, InsuranceInput, OlderPayor, Payor, PayorInput, PayorSearch, PayorSearchBody } from './schemas.ts';
import { searchPayors } from './search-payors.ts';

const tag = 'insurance';
const params = Type.Object({ user_id: Uuid });

export const insuranceOperations = [
  operation({
    id: 'create_insurance',
    method: 'POST',
    path: '/v2/user/{user_id}/insurance',
    tag,
    params,
    body: InsuranceInput,
    response: Insurance,
    summary: 'Add an insurance record to a user',
    description:
      'The payor directory fills in the company by payor_code. A payor_code that is not in the directory ' +
      'returns 400 unknown_payor. Every call adds a record. The newest primary record is billed.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'unknown_payor'],
    handle: (ctx, { params: { user_id }, body }) => createInsurance(ctx, user_id, body),
  }),
  operation({
    id: 'get_latest_insurance',
    method: 'GET',
    path: '/v2/user/{user_id}/insurance/latest',
    tag,
    params,
    response: Insurance,
    summary: "Read a user's newest insurance record",
    description: 'The newest primary record, or with is_primary=false the newest of the others.',
    query: Type.Object({ is_primary: withDefault(Type.Boolean(), true) }),
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { user_id }, query: { is_primary } }) => findLatestInsurance(ctx, user_id, is_primary),
  }),
  operation({
    id: 'search_payors',
    method: 'GET',
    path: '/v3/insurance/search/payor',
    tag,
    query: PayorSearch,
    response: Type.Array(Payor),
    summary: 'Search payors by name, alias or external code',
    description:
      'Finds the payors of the platform and those that the team added, at most 100. Every word of ' +
      'insurance_name must occur in the name or in one alias. provider and provider_payor_id are a ' +
      'clearing house and its code. Each parameter narrows the search.',
    handle: (ctx, { query }) => searchPayors(ctx, query),
  }),
  operation({
    id: 'search_payors_by_post',
    method: 'POST',
    path: '/v3/insurance/search/payor',
    tag,
    readsOnly: true,
    body: PayorSearchBody,
    response: Type.Array(OlderPayor),
    summary: 'Search payors, in the older form',
    description: 'The same search. provider_id here is provider_payor_id in the newer form, and code is payor_code.',
    deprecated: { since: '2024-10-01', successor: '/v3/insurance/search/payor' },
    handle: async (ctx, { body: { insurance_name, provider, provider_id } }) => {
      const found = await searchPayors(ctx, {
        insurance_name: insurance_name ?? undefined,
        provider: provider ?? undefined,
        provider_payor_id: provider_id ?? undefined,
      });
      return found.map(({ payor_code, ...payor }) => ({ ...payor, code: payor_code }));
    },
  }),
  operation({
    id: 'search_diagnoses',
    method: 'GET',
    path: '/v3/insurance/search/diagnosis',
    tag,
    query: DiagnosisSearch,
    response: Type.Array(Diagnosis),
    summary: 'Search diagnoses by code or words',
    description:
      'Finds at most 50 diagnoses in a shipped subset of ICD-10-CM, some 430 codes that are common in ' +
      'primary care and laboratory orders. A code that is not found here may still exist, and orders ' +
      'accept it.',
    handle: async (_, { query: { diagnosis_query } }) =>
      searchDiagnoses(diagnosis_query).map(({ code, description, isSecondary }) => ({
        diagnosis_code: code,
        description,
        is_secondary: isSecondary,
      })),
  }),
  operation({
    id: 'validate_icd_codes',
    method: 'POST',
    path: '/v3/insurance/validate_icd_codes',
    tag,
    readsOnly: true,
    body: IcdCodesInput,
    response: IcdCodesAnswer,
    summary: 'Check the ICD-10 codes of a patient',
    description:
      'Checks the shape of the codes, whether they are exact enough to be billed, and which of them ' +
      'exclude one another. The last two checks know only the shipped subset: any other code of the right ' +
      'shape is valid, with a warning of type not_in_shipped_subset.',
    handle: async (_, { body }) => {
      const { errors, violations, warnings } = checkIcdCodes(body.codes);
      return { valid: errors.length === 0 && violations.length === 0, errors, violations, warnings };
    },
  }),
  operation({
    id: 'create_payor',
    method: 'POST',
    path: '/v3/payor',
    tag,
    body: PayorInput,
    response: Payor,
    summary: 'Add a payor of the team',
    description:
      'Use this when the search does not find a payor. Only this team sees the new payor. provider and ' +
      'provider_payor_id must be sent together or not at all.',
    handle: (ctx, { body }) => createPayor(ctx, body),
  }),
];
