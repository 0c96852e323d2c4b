// SQL that builds a row of `markers` in the shape of the API. Lists, orders and reads of a single marker all use it.
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Marker, MarkerWithResults } from './schemas.ts';

/** The laboratory's questions about the marker; null if it has none. */
const questions = sql`(
  select json_build_object('questions', json_agg(json_build_object('id', q.id, 'required', q.required, 'code', q.code,
      'value', q.value, 'type', q.type, 'sequence', q.sequence, 'answers', q.answers, 'constraint', q.answer_pattern,
      'default', q.default_answer) order by q.sequence, q.id))
    from marker_questions q where q.marker_id = markers.id having count(*) > 0)`;

const members = sql`
  'id', markers.id, 'name', markers.name, 'slug', markers.slug, 'description', markers.description,
  'lab_id', markers.lab_id, 'provider_id', markers.provider_id, 'type', markers.type, 'unit', markers.unit,
  'price', markers.price::text, 'aoe', ${questions}, 'a_la_carte_enabled', markers.a_la_carte_enabled,
  'common_tat_days', markers.common_tat_days, 'worst_case_tat_days', markers.worst_case_tat_days,
  'reported_as', markers.reported_as, 'is_orderable', true`;

const expectedResults = sql`(
  select coalesce(json_agg(json_build_object(
      'id', a.id, 'name', a.name, 'slug', a.slug, 'lab_id', markers.lab_id, 'provider_id', alone.provider_id,
      'required', ma.required,
      'loinc', case when a.loinc_code is not null then json_build_object('id', a.id,
        'name', coalesce(a.loinc_name, a.name), 'slug', a.slug, 'code', a.loinc_code, 'unit', a.unit) end
    ) order by ma.position, a.id), '[]')
    from marker_analytes ma
    join analytes a on a.id = ma.analyte_id
    left join markers alone on alone.lab_id = markers.lab_id and alone.slug = a.slug and alone.type = 'biomarker'
   where ma.marker_id = markers.id)`;

export const MARKER_JSON = sql<Static<typeof Marker>>`json_build_object(${members})`;

export const MARKER_WITH_RESULTS_JSON = sql<
  Static<typeof MarkerWithResults>
>`json_build_object(${members}, 'expected_results', ${expectedResults})`;
