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
        description: 'Words of a normal result, where the laboratory sends no flag and no range, such as Negative.',
      }),
    ),
    abnormal_words: Type.Optional(
      Type.Array(text(100), { maxItems: 50, description: 'Words of an abnormal result, such as Positive.' }),
    ),
  },
  strict,
);

/**
 * A question about the patient that the laboratory asks when somebody orders the marker, for example "Are you
 * pregnant?".
 */
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
          description: 'The choices of a choice or multi_choice question.',
        },
      ),
    ),
    answer_pattern: Type.Optional({
      ...text(200),
      description: 'A regular expression for the answer to a text question.',
    }),
    default_answer: Type.Optional({ ...text(500), description: 'The answer if nobody gives one.' }),
  },
  strict,
);
export type QuestionInFile = Static<typeof QuestionInFile>;

/** A test that a client can order. */
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
        description:
          'document: the result may be only a PDF, such as a pathology report, and the marker may have no analytes.',
      }),
    ),
    analytes: Type.Array(AnalyteInFile, { maxItems: 200 }),
    questions: Type.Optional(
      Type.Array(QuestionInFile, { maxItems: 50, description: 'In the order in which they are asked.' }),
    ),
  },
  strict,
);

/** A laboratory and its catalogue, as the operator writes them into a file. */
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
        Type.Array(Type.String({ pattern: '^[A-Z]{2}$' }), { maxItems: 60, description: 'Default: all.' }),
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
  /** The maximum lengths of those fields of an order for which the laboratory differs from HL7 v2.5.1. */
  max_lengths?: Record<string, number>;
  /**
   * True if the source of the markers contains no questions. The import then keeps the stored questions of each marker.
   */
  shouldRetainQuestions?: true;
};
