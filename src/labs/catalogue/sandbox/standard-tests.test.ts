import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { KIT_MARKERS, REFERENCE_MARKERS, STANDARD_TESTS } from './standard-tests.ts';

type Lab = { methods: string[]; sample_types: string[] };

const sql = readFileSync(new URL('../../../../seeds/sandbox/catalogue.sql', import.meta.url), 'utf8');

/** The markers in the catalogue of the sandbox, by id. The SQL has a row `(id, lab_id, 'slug', …` for each marker. */
const markers = new Map(
  [...sql.matchAll(/^ {2}\((\d{4}), (\d), '([^']+)', .* '(?:biomarker|panel)',/gm)].map(([, id, lab, slug]) => [
    Number(id),
    { lab_id: Number(lab), slug },
  ]),
);
const panelRows = [...sql.matchAll(/^ {2}\((\d{4}), (\d+), \d+, (?:true|false)\)/gm)].map((row) => ({
  marker_id: Number(row[1]),
  analyte_id: Number(row[2]),
}));
const labs = new Map<number, Lab>(
  [...sql.matchAll(/^ {2}\((\d), '[^']*-lab'[^{]*'\{([^}]*)\}', '\{([^}]*)\}'/gm)].map((row) => [
    Number(row[1]),
    { methods: row[2]!.split(','), sample_types: row[3]!.split(',') },
  ]),
);

/** Returns a marker's analytes. A panel has a row for each analyte. A biomarker's id ends with its analyte's id. */
function analytesOf(markerId: number): number[] {
  const ofPanel = panelRows.filter((row) => row.marker_id === markerId);
  return ofPanel.length > 0 ? ofPanel.map((row) => row.analyte_id) : [markerId % 1000];
}

describe('the standard tests', () => {
  test('name markers by the ids and slugs of the catalogue', () => {
    for (const [lab_id, named] of [
      [1, KIT_MARKERS],
      [2, REFERENCE_MARKERS],
    ] as const) {
      for (const [slug, id] of Object.entries(named)) expect(markers.get(id)).toEqual({ lab_id, slug });
    }
  });

  test.each(STANDARD_TESTS)('$slug asks its laboratory only for what it offers', (standard) => {
    const lab = labs.get(standard.lab_id);
    expect(lab?.methods).toContain(standard.method);
    expect(lab?.sample_types).toContain(standard.sample_type);
    expect(standard.marker_ids).not.toHaveLength(0);
    for (const id of standard.marker_ids) expect(markers.get(id)?.lab_id).toBe(standard.lab_id);
  });

  test.each(STANDARD_TESTS)('$slug reports no analyte twice', ({ marker_ids }) => {
    const analytes = marker_ids.flatMap(analytesOf);
    expect(analytes).toEqual([...new Set(analytes)]);
  });

  test('cover every collection method once and include at least six at-home panels', () => {
    const standard = STANDARD_TESTS.filter(({ slug }) => slug.startsWith('standard-'));
    expect(standard.map(({ method }) => method)).toEqual([
      'testkit',
      'walk_in_test',
      'at_home_phlebotomy',
      'on_site_collection',
    ]);
    const panels = STANDARD_TESTS.filter((one) => !standard.includes(one));
    expect(panels.every(({ method }) => method === 'testkit')).toBe(true);
    expect(panels.length).toBeGreaterThanOrEqual(6);
  });

  test('have unique slugs and one default kit, the first', () => {
    expect(new Set(STANDARD_TESTS.map(({ slug }) => slug)).size).toBe(STANDARD_TESTS.length);
    expect(STANDARD_TESTS.filter((one) => one.is_default_kit)).toEqual([STANDARD_TESTS[0]]);
    expect(STANDARD_TESTS[0]?.method).toBe('testkit');
  });
});
