import { Type } from 'typebox';
import { oneOf, optional, Text, Uuid, withDefault, WordFilter } from '../../../wire/schema.ts';
import { shape } from '../../../wire/shape.ts';

const Codes = (description: string) => Type.Array(Type.String(), { description });
const confidence = Type.Number({ description: 'From 0 to 1; 1 if both report exactly the same.' });
const relation = Type.String({
  description:
    'exact: the same LOINC codes. superset: these and more. subset: some of these. overlap: some, and others.',
});
const reason_codes = Type.Array(Type.String(), {
  description: 'Why the candidate was found: name, result_name, loinc.',
});
const LoincSet = Type.String({ description: 'Identifies a set of LOINC codes: equal sets have equal hashes.' });
const Cpt = Codes('Always empty: CPT codes are licensed, and the service has none.');
const Popularity = Type.Number({ description: 'How many of your lab tests measure it.' });
const limit = withDefault(
  Type.Integer({ minimum: 1, maximum: 50, description: 'The largest number of candidates of each kind.' }),
  3,
);

/** Returns whether a search field has a value. A text of only white space has none. */
const isGiven = (value: unknown): boolean =>
  typeof value === 'string' ? value.trim() !== '' : Array.isArray(value) && value.length > 0;

export const CompendiumSearch = shape(
  'CompendiumSearch',
  {
    mode: oneOf(['canonical', 'crosswalk'], {
      description: 'canonical: the tests with that name. crosswalk: the laboratories that offer the best of them.',
    }),
    query: optional(Text(200, { description: 'Words of the name of a marker or of a result.' })),
    cpt_codes: optional(
      Type.Array(Text(10), { maxItems: 50, description: 'Accepted for compatibility; CPT codes find nothing.' }),
    ),
    loinc_set_hash: optional(Text(100, { description: 'The hash of a candidate from an earlier search.' })),
    labs: optional(
      Type.Array(WordFilter(), { maxItems: 50, description: 'Slugs of laboratories; default: every laboratory.' }),
    ),
    include_related: withDefault(
      Type.Boolean({ description: 'Whether to list candidates that share only some of the LOINC codes.' }),
      true,
    ),
    limit,
  },
  {
    fulfils: {
      words: 'At least one of query, cpt_codes and loinc_set_hash.',
      check: ({ query, cpt_codes, loinc_set_hash }: Record<string, unknown>) =>
        isGiven(query) || isGiven(cpt_codes) || isGiven(loinc_set_hash)
          ? []
          : [{ at: [], type: 'value_error', msg: 'One of query, cpt_codes and loinc_set_hash is needed' }],
    },
  },
);

export const CanonicalCandidate = shape('CanonicalCandidate', {
  loinc_set_hash: LoincSet,
  display_name: Type.String({ description: 'Name of the first marker of the group.' }),
  aliases: Type.Array(Type.String(), { description: 'Other names of the test at laboratories.' }),
  loinc_codes: Codes('LOINC codes of the observations that the test brings.'),
  provider_ids: Type.Array(Type.String(), { description: 'Order codes of the test at laboratories.' }),
  loinc_components: Codes('What the observations measure, as LOINC names it.'),
  loinc_groups: Codes('Always empty: the service has no LOINC groups.'),
  cpt_codes: Cpt,
  popularity_score: Popularity,
  confidence,
});

export const PerLabCandidate = shape('PerLabCandidate', {
  marker_id: Type.Integer(),
  lab_id: Type.Integer(),
  lab_slug: Type.String({ description: 'Slug of the laboratory.' }),
  name: Type.String(),
  result_names: Type.Array(Type.String(), { description: 'Names of the results that the marker brings.' }),
  provider_id: Type.String(),
  loinc_set_hash: LoincSet,
  loinc_codes: Codes('LOINC codes of the observations that the marker brings.'),
  loinc_components: Codes('What the observations measure, as LOINC names it.'),
  loinc_groups: Codes('Always empty: the service has no LOINC groups.'),
  cpt_codes: Cpt,
  relation,
  confidence,
  reason_codes,
  marker_popularity_score: Popularity,
});

export const CompendiumSearchAnswer = shape('CompendiumSearchAnswer', {
  mode: Type.String({ description: 'The mode of the request.' }),
  selected_canonical: Type.Union([CanonicalCandidate, Type.Null()], {
    description: 'The candidate that the crosswalk compares with; null in the other mode and if nothing was found.',
  }),
  canonical_candidates: Type.Array(CanonicalCandidate, { description: 'The candidates, the best first.' }),
  per_lab: Type.Record(Type.String(), Type.Array(PerLabCandidate), {
    description: 'The candidates by slug of the laboratory, the best first.',
  }),
  related: Type.Array(Type.Object({ canonical: CanonicalCandidate, relation, confidence, reason_codes }), {
    description: 'Candidates that share some of the LOINC codes.',
  }),
});

export const CompendiumConversion = shape(
  'CompendiumConversion',
  {
    lab_test_id: optional(Uuid),
    provider_ids: optional(
      Type.Array(Text(200), { minItems: 1, maxItems: 100, description: 'Order codes of another laboratory.' }),
    ),
    target_lab: WordFilter({ description: 'Slug of the target laboratory.' }),
    limit,
  },
  {
    fulfils: {
      words: 'Exactly one of lab_test_id and provider_ids.',
      check: ({ lab_test_id, provider_ids }: Record<string, unknown>) =>
        (typeof lab_test_id === 'string') === Array.isArray(provider_ids)
          ? [{ at: [], type: 'value_error', msg: 'Exactly one of lab_test_id and provider_ids is needed' }]
          : [],
    },
  },
);

export const CompendiumConversionAnswer = shape('CompendiumConversionAnswer', {
  source_lab_test_id: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'uuid',
    description: 'The lab test of the request.',
  }),
  source_lab_id: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The laboratory of the order codes; null if several laboratories have them.',
  }),
  target_lab_id: Type.Integer({ description: 'Id of the target laboratory.' }),
  target_lab_slug: Type.String({ description: 'Slug of the target laboratory.' }),
  source_provider_ids: Type.Array(Type.String(), { description: 'The order codes that were to be converted.' }),
  converted_provider_ids: Type.Array(Type.String(), {
    description: "The target laboratory's order codes that bring all of the observations, each once.",
  }),
  unresolved_provider_ids: Type.Array(Type.String(), {
    description: 'The order codes without a marker at the target laboratory that brings all of their observations.',
  }),
  by_source_provider_id: Type.Record(
    Type.String(),
    Type.Object({
      source_provider_id: Type.String({ description: 'The order code.' }),
      candidates: Type.Array(PerLabCandidate, { description: 'Markers that may replace it.' }),
    }),
    { description: 'The candidates for each order code, the best first.' },
  ),
});
