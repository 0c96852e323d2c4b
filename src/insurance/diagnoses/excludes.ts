/**
 * Notes of ICD-10-CM between codes of the subset. Each pair names beginnings of codes: everything below the one
 * against everything below the other.
 */
type Note = readonly [string, readonly string[]];

/** Excludes1: the two are never of one patient at one time. */
const EXCLUDES_1: readonly Note[] = [
  ['B20', ['Z21', 'Z20.6', 'R75']],
  ['Z21', ['Z20.6', 'R75']],
  ['D50.0', ['D62']],
  ['D72.81', ['D70']],
  ['D72.82', ['D72.1']],
  ['E03', ['E01', 'E89.0']],
  ['E04', ['E01']],
  ['E05', ['E06.2']],
  ['E10', ['E11', 'E13', 'O24.4']],
  ['E11', ['E13', 'O24.4']],
  ['R73', ['E10', 'E11', 'E13', 'O24']],
  ['E28', ['E23.0', 'E89.4']],
  ['E55', ['M83']],
  ['E61', ['E83', 'E01']],
  ['F31', ['F32', 'F33']],
  ['F32', ['F33']],
  ['F17', ['Z72.0', 'Z87.891']],
  ['Z72.0', ['Z87.891']],
  ['F41.0', ['F40.01']],
  ['G43', ['R51.9']],
  ['I10', ['O10', 'O11', 'O13', 'O14', 'O15', 'O16']],
  ['J00', ['J02', 'J31.0']],
  ['J06', ['J22', 'J02.0']],
  ['J40', ['J20', 'J45.9']],
  ['N39.0', ['B37.4', 'N30', 'N34']],
  ['N91', ['E28']],
  ['N92', ['N95.0']],
  ['N95', ['N92.4', 'E28.31', 'E89.4']],
  ['N97', ['E28.2', 'E23.0']],
  ['M54.2', ['M50']],
  ['M54.3', ['M54.4']],
  ['M54.5', ['M54.4']],
  ['R06.0', ['R06.82']],
  ['R10', ['N23']],
  ['R11', ['K92.0', 'O21']],
  ['R19.7', ['K59.1']],
  ['R31', ['N30.01']],
  ['R42', ['H81']],
  ['R50', ['R68.83']],
  ['R63.5', ['E66']],
  ['R63.6', ['R63.4', 'E46']],
  ['R79', ['E79.0', 'R73.9', 'E16.2']],
  ['Z00.0', ['Z00.12']],
  ['Z33.1', ['O']],
  ['Z34', ['O', 'Z32.0']],
];

/** Excludes2: the one is not part of the other, and both may be there. */
const EXCLUDES_2: readonly Note[] = [
  ['J00', ['J30']],
  ['M10', ['M1A']],
  ['R51', ['G43']],
  ['Z11.3', ['Z11.4', 'Z11.51']],
];

export const areExcluded = (one: string, other: string): boolean => EXCLUDES_1.some(isNoteOf(one, other));
export const mayOverlap = (one: string, other: string): boolean => EXCLUDES_2.some(isNoteOf(one, other));

/** Notes hold both ways, wherever the classification prints them. */
const isNoteOf =
  (one: string, other: string) =>
  ([at, against]: Note): boolean =>
    (one.startsWith(at) && against.some((each) => other.startsWith(each))) ||
    (other.startsWith(at) && against.some((each) => one.startsWith(each)));
