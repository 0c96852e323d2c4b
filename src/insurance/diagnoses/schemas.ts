import { Type } from 'typebox';
import { Text, WordFilter } from '../../wire/schema.ts';

/** ICD-10-CM by its form: a letter, a digit, a digit or letter, up to four more behind a dot that may be left out. */
export const IcdCode = Type.String({
  maxLength: 8,
  pattern: '^[A-Za-z][0-9][0-9A-Za-z](\\.?[0-9A-Za-z]{1,4})?$',
  description: 'An ICD-10-CM code.',
});

export const DiagnosisSearch = Type.Object({
  diagnosis_query: WordFilter({
    maxLength: 200,
    description: 'The beginning of an ICD-10-CM code, as E11 or e119, or words of a description.',
  }),
});

export const Diagnosis = Type.Object({
  diagnosis_code: Type.String(),
  description: Type.String(),
  is_secondary: Type.Boolean({ description: 'Whether it stands only beside another diagnosis.' }),
});

export const IcdCodesInput = Type.Object({
  codes: Type.Array(Text(20), {
    maxItems: 50,
    description: 'ICD-10-CM codes of one patient, with the point or without.',
  }),
});

const pair = { code: Type.String(), type: Type.String() };

export const IcdCodesAnswer = Type.Object({
  valid: Type.Boolean({ description: 'Whether there are neither errors nor violations.' }),
  errors: Type.Array(Type.String(), { description: 'What of the codes cannot be billed, a sentence each.' }),
  violations: Type.Array(
    Type.Object({
      ...pair,
      conflicts_with: Type.String({ description: 'The other code of the pair.' }),
      type: Type.String({ description: 'Always excludes1: the two are never of one patient at one time.' }),
    }),
  ),
  warnings: Type.Array(
    Type.Object({
      ...pair,
      overlaps_with: Type.String({ description: 'The other code of the pair; the code itself where there is none.' }),
      type: Type.String({
        description:
          'excludes2: both may be coded where the patient has both. duplicate: it was sent more than once. ' +
          'not_in_shipped_subset: its shape is right, and nothing more is known here.',
      }),
    }),
    { description: 'What is worth a look; it refuses nothing.' },
  ),
});
