import { Type } from 'typebox';
import { Text, WordFilter } from '../../wire/schema.ts';
import { shape } from '../../wire/shape.ts';

/**
 * An ICD-10-CM code. It consists of a letter, a digit, and a digit or letter. Up to four digits or letters may follow,
 * after an optional point.
 */
export const IcdCode = Type.String({
  maxLength: 8,
  pattern: '^[A-Za-z][0-9][0-9A-Za-z](\\.?[0-9A-Za-z]{1,4})?$',
  description: 'An ICD-10-CM code.',
});

export const DiagnosisSearch = Type.Object({
  diagnosis_query: WordFilter({
    maxLength: 200,
    description: 'The beginning of an ICD-10-CM code, such as E11 or e119, or words of a description.',
  }),
});

export const Diagnosis = shape('Diagnosis', {
  diagnosis_code: Type.String(),
  description: Type.String(),
  is_secondary: Type.Boolean({ description: 'Whether the code may only be used beside another diagnosis.' }),
});

export const IcdCodesInput = shape('IcdCodesInput', {
  codes: Type.Array(Text(20), {
    maxItems: 50,
    description: 'ICD-10-CM codes of one patient, with the point or without.',
  }),
});

const pair = { code: Type.String(), type: Type.String() };

export const IcdCodesAnswer = shape('IcdCodesAnswer', {
  valid: Type.Boolean({ description: 'true if there are no errors and no violations.' }),
  errors: Type.Array(Type.String(), { description: 'One sentence for each code that cannot be billed.' }),
  violations: Type.Array(
    Type.Object({
      ...pair,
      conflicts_with: Type.String({ description: 'The other code of the pair.' }),
      type: Type.String({ description: 'Always excludes1: one patient cannot have the two at the same time.' }),
    }),
  ),
  warnings: Type.Array(
    Type.Object({
      ...pair,
      overlaps_with: Type.String({
        description: 'The other code of the pair, or the code itself if there is no other.',
      }),
      type: Type.String({
        description:
          'excludes2: both codes may be used if the patient has both. duplicate: the code was sent more ' +
          'than once. not_in_shipped_subset: the code has the right shape, and we know nothing more about ' +
          'it.',
      }),
    }),
    { description: 'Findings to check. They do not make the codes invalid.' },
  ),
});
