import { Type, type Static } from 'typebox';
import {
  Cursor,
  nullable,
  NumericId,
  oneOf,
  PageNumber,
  TextFilter,
  Uuid,
  withDefault,
  WordFilter,
} from '../../wire/schema.ts';
import { shape } from '../../wire/shape.ts';

export const COLLECTION_METHODS = ['testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection'] as const;
export type CollectionMethod = (typeof COLLECTION_METHODS)[number];

/** The types of samples. We have collection instructions for each of them. */
export const SAMPLE_TYPES = ['dried_blood_spot', 'arm_collector', 'serum', 'saliva', 'urine', 'stool'] as const;
export type SampleType = (typeof SAMPLE_TYPES)[number];
export const isSampleType = (text: string): text is SampleType => (SAMPLE_TYPES as readonly string[]).includes(text);

/** A value from a list that may grow. The description names the present values, and clients must accept others. */
const open = (values: readonly string[]): ReturnType<typeof Type.String> =>
  Type.String({ description: `One of ${values.join(', ')}. There may be more values later.` });

const Method = open(COLLECTION_METHODS);
const SampleType = open(SAMPLE_TYPES);

const days = (description: string) => nullable(Type.Integer({ description }));
const turnaround = {
  common_tat_days: days("Usual number of days from the sample's arrival at the laboratory to the result."),
  worst_case_tat_days: days("Largest number of days from the sample's arrival at the laboratory to the result."),
};

export const Lab = shape('Lab', {
  id: Type.Integer(),
  slug: Type.String(),
  name: Type.String(),
  first_line_address: Type.String(),
  city: Type.String(),
  zipcode: Type.String(),
  collection_methods: Type.Array(Method),
  sample_types: Type.Array(SampleType),
});

export const QuestionAnswer = shape('QuestionAnswer', {
  id: Type.Integer(),
  code: Type.String(),
  value: Type.String(),
});
const Question = shape('Question', {
  id: Type.Integer(),
  required: Type.Boolean(),
  code: Type.String(),
  value: Type.String(),
  type: open(['choice', 'text', 'numeric', 'multi_choice']),
  sequence: Type.Integer(),
  answers: Type.Array(QuestionAnswer),
  constraint: nullable(Type.String()),
  default: nullable(Type.String()),
});
const AskOnOrderEntry = shape('AskOnOrderEntry', { questions: Type.Array(Question) });

const marker = {
  id: Type.Integer(),
  name: Type.String(),
  slug: Type.String(),
  description: nullable(Type.String()),
  lab_id: nullable(Type.Integer()),
  provider_id: nullable(Type.String({ description: "The laboratory's own order code." })),
  type: nullable(open(['biomarker', 'panel'])),
  unit: nullable(Type.String({ description: 'UCUM; null for panels and for results without a unit.' })),
  price: nullable(Type.String({ description: 'US dollars with two decimals, as 19.00.' })),
  aoe: nullable(AskOnOrderEntry),
  a_la_carte_enabled: Type.Boolean(),
  ...turnaround,
  reported_as: Type.String({
    description: 'values, or document: a PDF, which may come without any value. There may be more values later.',
  }),
  is_orderable: nullable(Type.Boolean()),
};

/** A biomarker or a panel that a client can order from a laboratory. */
export const Marker = shape('Marker', marker);

const Loinc = shape('Loinc', {
  id: Type.Integer(),
  name: Type.String(),
  slug: Type.String(),
  code: Type.String(),
  unit: nullable(Type.String()),
});

/** One observation that the laboratory reports for a marker. */
const ExpectedResult = shape('ExpectedResult', {
  id: Type.Integer(),
  name: Type.String(),
  slug: Type.String(),
  lab_id: nullable(Type.Integer()),
  provider_id: nullable(
    Type.String({ description: "The laboratory's order code for this observation alone, if it offers one." }),
  ),
  required: Type.Boolean({ description: 'False for computed values, which a laboratory may leave out.' }),
  loinc: nullable(Loinc),
});

export const MarkerWithResults = shape('MarkerWithResults', {
  ...marker,
  expected_results: Type.Array(ExpectedResult),
});

const PriceModifier = shape('PriceModifier', {
  delta_amount_minor: Type.Union([Type.Integer(), Type.Object({ minimum: Type.Integer(), maximum: Type.Integer() })]),
  conditions: Type.Object({
    us_state: nullable(Type.Object({ any_of: Type.Array(Type.String()) })),
    reflex: nullable(Type.Object({})),
  }),
});

export const MarkerPricing = shape('MarkerPricing', {
  currency: Type.String({ const: 'USD' }),
  data: Type.Record(
    Type.String(),
    Type.Union([
      Type.Object({ base_amount_minor: Type.Integer(), modifiers: nullable(Type.Array(PriceModifier)) }),
      Type.Object({ unspecified: open(['refer_to_contract', 'price_unavailable']) }),
    ]),
    { description: 'By marker id, in cents.' },
  ),
});

export const MarkerPage = shape('MarkerPage', {
  markers: Type.Array(MarkerWithResults, { description: 'The markers of this page.' }),
  total: Type.Integer(),
  page: Type.Integer(),
  size: Type.Integer(),
  pages: Type.Integer(),
  pricing: nullable(MarkerPricing),
});

/**
 * What a team orders: markers of one laboratory and a method to collect the sample. An order contains all fields of its
 * lab test.
 */
export const LabTest = shape('LabTest', {
  id: Uuid,
  slug: Type.String(),
  name: Type.String(),
  description: Type.String(),
  sample_type: SampleType,
  method: Method,
  price: Type.Number({ description: 'US dollars.' }),
  is_active: Type.Boolean(),
  status: open(['active', 'pending_approval', 'inactive']),
  fasting: Type.Boolean(),
  lab: nullable(Lab),
  markers: nullable(Type.Array(Marker)),
  is_delegated: Type.Boolean({ deprecated: true }),
  auto_generated: Type.Boolean(),
  has_collection_instructions: nullable(Type.Boolean()),
  ...turnaround,
});
export type LabTest = Static<typeof LabTest>;

export const LabTestPage = shape('LabTestPage', { data: Type.Array(LabTest), next_cursor: nullable(Type.String()) });

const word = (description: string) => Type.Optional(WordFilter({ description }));
const name = Type.Optional(TextFilter({ description: 'A part of the name, in upper or lower case.' }));
const anyOther = 'Any other value matches nothing.';

/** The filters and the sort order for both lists of lab tests. */
export const LabTestQuery = Type.Object({
  generation_method: withDefault(WordFilter({ description: `auto, manual or all. ${anyOther}` }), 'manual'),
  lab_slug: Type.Optional(WordFilter({ description: 'Slug of the laboratory.' })),
  collection_method: word(`${COLLECTION_METHODS.join(', ')}. ${anyOther}`),
  status: word(`active, pending_approval or inactive. ${anyOther}`),
  marker_ids: Type.Optional(
    Type.Array(NumericId, { maxItems: 100, description: 'Only lab tests with all of these markers.' }),
  ),
  provider_ids: Type.Optional(
    Type.Array(WordFilter(), {
      maxItems: 100,
      description: 'Only lab tests whose markers have all of these order codes.',
    }),
  ),
  name,
  order_key: withDefault(oneOf(['price', 'created_at', 'updated_at']), 'created_at'),
  order_direction: withDefault(oneOf(['asc', 'desc']), 'asc'),
});

const pageQuery = {
  lab_account_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'One of your accounts: only what its laboratory offers. Under an account of your organisation the prices ' +
        'are those of your contract, which the service does not know.',
    }),
  ),
  page: PageNumber,
  size: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 50),
};

export const LabTestPageQuery = Type.Object({
  ...LabTestQuery.properties,
  lab_test_limit: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 50),
  next_cursor: Type.Optional(
    Cursor({
      // This check accepts any array. The function that lists the lab tests checks that the cursor has the requested
      // sort order.
      isKey: Array.isArray,
      description: 'From the page before, with the same order_key and order_direction.',
    }),
  ),
});

export const MarkersOfTestQuery = Type.Object(pageQuery);

export const MarkerQuery = Type.Object({
  lab_id: Type.Optional(Type.Array(NumericId, { maxItems: 100 })),
  lab_slug: Type.Optional(WordFilter({ description: 'Slug of the laboratory.' })),
  name,
  a_la_carte_enabled: Type.Optional(
    Type.Boolean({ description: 'Whether the marker can be ordered without a lab test.' }),
  ),
  include_pricing: withDefault(Type.Boolean(), false),
  ...pageQuery,
});
