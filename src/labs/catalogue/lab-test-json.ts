import { sql } from 'kysely';
import { LAB_JSON } from './labs.ts';
import { MARKER_JSON } from './marker-json.ts';
import { SAMPLE_TYPES, type LabTest } from './schemas.ts';

/**
 * SQL for the revision of a lab test: of its row in `lab_tests` and of the joined row in `labs`. The revision changes
 * whenever a value in LAB_TEST_JSON changes.
 */
export const LAB_TEST_REVISION = `concat(lab_tests.revision, '.', labs.revision)`;

/**
 * SQL that builds a lab test in the shape of the API, from its row of `lab_tests` and the joined row of `labs`. So one
 * statement reads a list of any length.
 */
export const LAB_TEST_JSON = sql<LabTest>`json_build_object(
  'id', lab_tests.id, 'slug', lab_tests.slug, 'name', lab_tests.name, 'description', lab_tests.description,
  'sample_type', lab_tests.sample_type, 'method', lab_tests.method, 'price', lab_tests.price,
  'is_active', lab_tests.status = 'active', 'status', lab_tests.status, 'fasting', lab_tests.fasting,
  'lab', ${LAB_JSON},
  'markers', (
    select coalesce(json_agg(${MARKER_JSON} order by ltm.position, markers.id), '[]')
      from lab_test_markers ltm join markers on markers.id = ltm.marker_id
     where ltm.lab_test_id = lab_tests.id),
  'is_delegated', false, 'auto_generated', lab_tests.auto_generated,
  'has_collection_instructions', lab_tests.sample_type in (${sql.join(SAMPLE_TYPES.map((type) => sql.lit(type)))}),
  'common_tat_days', lab_tests.common_tat_days, 'worst_case_tat_days', lab_tests.worst_case_tat_days)`;
