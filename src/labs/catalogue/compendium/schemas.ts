import { Type } from 'typebox';
import { oneOf, optional, Text, Uuid, withDefault, WordFilter } from '../../../wire/schema.ts';

const Codes = (description: string) => Type.Array(Type.String(), { description });
const confidence = Type.Number({ description: 'From 0 to 1, 1 where both report exactly the same.' });
const relation = Type.String({
  description:
    'exact: the same LOINC codes. superset: these and more. subset: some of these. overlap: some, and others.',
});
const reason_codes = Type.Array(Type.String(), { description: 'Why it was found: name, result_name, loinc.' });
const LoincSet = Type.String({ description: 'Names a set of LOINC codes: equal sets have equal hashes.' });
const Cpt = Codes('Always empty: CPT codes are licensed, and the service holds none.');
const Popularity = Type.Number({ description: 'How many of your lab tests measure it.' });
const limit = withDefault(
  Type.Integer({ minimum: 1, maximum: 50, description: 'How many candidates at most, of each kind.' }),
  3,
);

/** White space names nothing. */
const isGiven = (value: unknown): boolean =>
  typeof value === 'string' ? value.trim() !== '' : Array.isArray(value) && value.length > 0;

export const CompendiumSearch = Type.Object(
  {
    mode: oneOf(['canonical', 'crosswalk'], {
      description: 'canonical: what there is of that name. crosswalk: which laboratories offer what it is.',
    }),
    query: optional(Text(200, { description: 'Words of a name of a marker or of a result.' })),
    cpt_codes: optional(
      Type.Array(Text(10), { maxItems: 50, description: 'Taken for compatibility; they find nothing.' }),
    ),
    loinc_set_hash: optional(Text(100, { description: 'Of a candidate that an earlier search gave.' })),
    labs: optional(
      Type.Array(WordFilter(), { maxItems: 50, description: 'Slugs of laboratories; left out, every laboratory.' }),
    ),
    include_related: withDefault(
      Type.Boolean({ description: 'Whether what shares some of the LOINC codes is told too.' }),
      true,
    ),
    limit,
  },
  {
    fulfils: {
      words: 'One of query, cpt_codes and loinc_set_hash at least.',
      check: ({ query, cpt_codes, loinc_set_hash }: Record<string, unknown>) =>
        isGiven(query) || isGiven(cpt_codes) || isGiven(loinc_set_hash)
          ? []
          : [{ at: [], type: 'value_error', msg: 'One of query, cpt_codes and loinc_set_hash is needed' }],
    },
  },
);

export const CanonicalCandidate = Type.Object({
  loinc_set_hash: LoincSet,
  display_name: Type.String({ description: 'Name of the first marker of it.' }),
  aliases: Type.Array(Type.String(), { description: 'Its other names at laboratories.' }),
  loinc_codes: Codes('The observations that it brings.'),
  provider_ids: Type.Array(Type.String(), { description: 'Its order codes at laboratories.' }),
  loinc_components: Codes('What the observations measure, as LOINC names it.'),
  loinc_groups: Codes('Always empty: groups of LOINC are not held.'),
  cpt_codes: Cpt,
  popularity_score: Popularity,
  confidence,
});

export const PerLabCandidate = Type.Object({
  marker_id: Type.Integer(),
  lab_id: Type.Integer(),
  lab_slug: Type.String({ description: 'Slug of the laboratory.' }),
  name: Type.String(),
  result_names: Type.Array(Type.String(), { description: 'Names of the results that it brings.' }),
  provider_id: Type.String(),
  loinc_set_hash: LoincSet,
  loinc_codes: Codes('The observations that it brings.'),
  loinc_components: Codes('What the observations measure, as LOINC names it.'),
  loinc_groups: Codes('Always empty: groups of LOINC are not held.'),
  cpt_codes: Cpt,
  relation,
  confidence,
  reason_codes,
  marker_popularity_score: Popularity,
});

export const CompendiumSearchAnswer = Type.Object({
  mode: Type.String({ description: 'The mode that was asked for.' }),
  selected_canonical: Type.Union([CanonicalCandidate, Type.Null()], {
    description: 'What a crosswalk starts from; null in the other mode and where nothing was found.',
  }),
  canonical_candidates: Type.Array(CanonicalCandidate, { description: 'What was found, the best first.' }),
  per_lab: Type.Record(Type.String(), Type.Array(PerLabCandidate), {
    description: 'By slug of the laboratory, the best first.',
  }),
  related: Type.Array(Type.Object({ canonical: CanonicalCandidate, relation, confidence, reason_codes }), {
    description: 'What shares some of the LOINC codes.',
  }),
});

export const CompendiumConversion = Type.Object(
  {
    lab_test_id: optional(Uuid),
    provider_ids: optional(
      Type.Array(Text(200), { minItems: 1, maxItems: 100, description: 'Order codes of another laboratory.' }),
    ),
    target_lab: WordFilter({ description: 'Slug of the laboratory that is converted to.' }),
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

export const CompendiumConversionAnswer = Type.Object({
  source_lab_test_id: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'uuid',
    description: 'The lab test that was named.',
  }),
  source_lab_id: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Whose order codes they are; null where several laboratories have them.',
  }),
  target_lab_id: Type.Integer({ description: 'Id of the laboratory that is converted to.' }),
  target_lab_slug: Type.String({ description: 'Slug of the laboratory that is converted to.' }),
  source_provider_ids: Type.Array(Type.String(), { description: 'What was converted.' }),
  converted_provider_ids: Type.Array(Type.String(), {
    description: 'What brings all of the observations there, each once.',
  }),
  unresolved_provider_ids: Type.Array(Type.String(), {
    description: 'Of what was asked, that nothing there brings whole.',
  }),
  by_source_provider_id: Type.Record(
    Type.String(),
    Type.Object({
      source_provider_id: Type.String({ description: 'What was asked.' }),
      candidates: Type.Array(PerLabCandidate, { description: 'Tests that may take its place.' }),
    }),
    { description: 'What there is for each, the best first.' },
  ),
});
