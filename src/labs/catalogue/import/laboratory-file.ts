import { Type, type Static } from 'typebox';
import { oneOf } from '../../../wire/schema.ts';
import { COLLECTION_METHODS } from '../schemas.ts';

const text = (most: number) => Type.String({ minLength: 1, maxLength: most });
const Slug = Type.String({ maxLength: 100, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' });
const strict = { additionalProperties: false };

/** One value that a laboratory reports. */
const AnalyteInFile = Type.Object(
  {
    code: { ...text(50), description: 'The code by which the laboratory reports it, OBX-3.' },
    slug: Slug,
    name: text(200),
    loinc_code: Type.Optional(Type.String({ pattern: '^\\d{1,7}-\\d$' })),
    unit: Type.Optional({ ...text(50), description: 'UCUM' }),
    result_type: Type.Optional(oneOf(['numeric', 'range', 'comment', 'coded_value'], { default: 'numeric' })),
    required: Type.Optional(Type.Boolean({ default: true })),
    normal_words: Type.Optional(
      Type.Array(text(100), {
        maxItems: 50,
        description: 'Results in words that are normal where the laboratory sends neither flag nor range, as Negative.',
      }),
    ),
    abnormal_words: Type.Optional(Type.Array(text(100), { maxItems: 50, description: 'The same, as Positive.' })),
  },
  strict,
);

/** What the laboratory asks of a patient with an order of a marker. */
const QuestionInFile = Type.Object(
  {
    code: { ...text(50), description: 'The code of the question, OBX-3 of the order.' },
    value: { ...text(500), description: 'The question in words.' },
    type: oneOf(['choice', 'multi_choice', 'numeric', 'text']),
    required: Type.Optional(Type.Boolean({ default: false })),
    answers: Type.Optional(
      Type.Array(
        Type.Object(
          { code: Type.String({ maxLength: 50, pattern: '^[^,\\s]([^,]*[^,\\s])?$' }), value: text(200) },
          strict,
        ),
        {
          maxItems: 100,
          description: 'What can be chosen; of choice and multi_choice.',
        },
      ),
    ),
    answer_pattern: Type.Optional({ ...text(200), description: 'A regular expression; of text.' }),
    default_answer: Type.Optional({ ...text(500), description: 'What is answered where nobody says anything.' }),
  },
  strict,
);
export type QuestionInFile = Static<typeof QuestionInFile>;

/** What can be ordered of it. */
export const MarkerInFile = Type.Object(
  {
    provider_id: { ...text(50), description: 'The code by which it is ordered, OBR-4.' },
    slug: Slug,
    name: text(200),
    description: Type.Optional(text(1_000)),
    type: Type.Optional(oneOf(['biomarker', 'panel'], { default: 'biomarker' })),
    price: Type.Optional(Type.String({ pattern: '^\\d{1,8}(\\.\\d{1,2})?$' })),
    a_la_carte_enabled: Type.Optional(Type.Boolean({ default: true })),
    common_tat_days: Type.Optional(Type.Integer({ minimum: 0, maximum: 365 })),
    worst_case_tat_days: Type.Optional(Type.Integer({ minimum: 0, maximum: 365 })),
    reported_as: Type.Optional(
      oneOf(['values', 'document'], {
        default: 'values',
        description: 'document: a PDF may be all that comes of it, as of pathology, and it may have no analytes.',
      }),
    ),
    analytes: Type.Array(AnalyteInFile, { maxItems: 200 }),
    questions: Type.Optional(Type.Array(QuestionInFile, { maxItems: 50, description: 'In the order they are asked.' })),
  },
  strict,
);

/** A laboratory with what it offers, as its operator writes it down. */
export const LaboratoryFile = {
  laboratory: Type.Object(
    {
      slug: Slug,
      name: text(200),
      first_line_address: text(200),
      city: text(100),
      state: Type.String({ pattern: '^[A-Z]{2}$' }),
      zipcode: Type.String({ pattern: '^\\d{5}(-\\d{4})?$' }),
      clia_number: Type.Optional(Type.String({ pattern: '^\\d{2}D\\d{7}$' })),
      collection_methods: Type.Array(oneOf(COLLECTION_METHODS), { minItems: 1, maxItems: 4 }),
      sample_types: Type.Array(text(50), { minItems: 1, maxItems: 20 }),
      states: Type.Optional(
        Type.Array(Type.String({ pattern: '^[A-Z]{2}$' }), { maxItems: 60, description: 'Left out: all.' }),
      ),
      account_required: Type.Optional(Type.Boolean({ description: 'Orders need a lab account of their team.' })),
      physician_required: Type.Optional(Type.Boolean({ description: 'Orders need a named physician.' })),
    },
    strict,
  ),
  markers: Type.Array(MarkerInFile, { minItems: 1, maxItems: 5_000 }),
};

const Whole = Type.Object(LaboratoryFile);
export type Laboratory = Static<typeof Whole> & {
  /** Where its format takes less, or more, of an order's texts than HL7 v2.5.1 does. */
  max_lengths?: Record<string, number>;
  /** What is asked with a marker stays as it is: the source of the markers says nothing of it. */
  keepsQuestions?: true;
};
