// What a person corrects: the fields of a form, made of what was read, and the body that they become.
import type { ReadData, ReadResult, Report } from './report-query.ts';

const EMPTY_HEAD = {
  patient_first_name: '',
  patient_last_name: '',
  dob: '',
  gender: 'other',
  lab_name: '',
  date_reported: '',
  date_collected: '',
  specimen_number: '',
};
export type Head = typeof EMPTY_HEAD;

const EMPTY_ROW = { test_name: '', value: '', units: '', reference_range: '', flag: '', source_panel_name: '' };
/** `id` only tells rows apart. `read` is what was read, which a new row does not have. */
export type Row = typeof EMPTY_ROW & { id: string; read: ReadResult | null };

export type Corrected = { head: Head; rows: Row[] };

export const newRow = (): Row => ({ ...EMPTY_ROW, id: crypto.randomUUID(), read: null });

export function correctedFrom(data: Report['data']): Corrected {
  if (data === null) return { head: EMPTY_HEAD, rows: [newRow()] };
  return { head: headFrom(data.metadata), rows: data.results.map(rowFrom) };
}

function headFrom(metadata: ReadData['metadata']): Head {
  const known = Object.entries(EMPTY_HEAD).map(([name, none]) => [name, metadata[name as keyof Head] ?? none]);
  return Object.fromEntries(known) as Head;
}

const rowFrom = (read: ReadResult, index: number): Row => ({
  id: String(index),
  read,
  test_name: read.test_name,
  value: read.value,
  units: read.units ?? '',
  reference_range: rangeOf(read),
  flag: flagOf(read),
  source_panel_name: read.source_panel_name ?? '',
});

/** The range as reports print it. Empty: there is none. */
export function rangeOf({ min_reference_range: min, max_reference_range: max }: ReadResult): string {
  if (min !== null && max !== null) return `${min}-${max}`;
  if (max !== null) return `<${max}`;
  return min === null ? '' : `>${min}`;
}

/**
 * The data has no flags. Where value and range already say what the flag would, the field stays empty, so that it does
 * not contradict a corrected value.
 */
function flagOf(read: ReadResult): string {
  const { interpretation, is_above_max_range: isAbove, is_below_min_range: isBelow } = read;
  if (interpretation === 'critical') return isAbove ? 'HH' : isBelow ? 'LL' : 'AA';
  if (interpretation !== 'abnormal') return '';
  return (isAbove || isBelow) && rangeOf(read) !== '' ? '' : 'A';
}

/** What the service takes. Fields that are left empty are not in the report. */
export function bodyOf({ head, rows }: Corrected) {
  const { gender, ...texts } = given(head);
  return {
    metadata: {
      ...texts,
      ...(gender === 'male' || gender === 'female' ? { gender: gender as 'male' | 'female' } : {}),
    },
    results: rows.map(({ id: _, read: __, test_name, value, ...others }) => ({
      ...given(others),
      test_name: test_name.trim(),
      value: value.trim(),
    })),
  };
}

const given = <Fields extends Record<string, string>>(fields: Fields): Partial<Record<keyof Fields, string>> =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([name, text]) => [name, text.trim()])
      .filter(([, text]) => text !== ''),
  ) as Partial<Record<keyof Fields, string>>;
