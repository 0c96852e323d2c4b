import { formatCount } from './figure-tile.tsx';

type Marker = { type: string | null; expected_results?: readonly unknown[] };

const counted = (count: number, word: string): string => `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`;

/**
 * What a test measures: "1 panel, 2 single markers", with the number of results where it is known. A panel is one
 * marker to order and gives several results.
 */
export function measuredInWords(markers: readonly Marker[]): string {
  const panels = markers.filter(({ type }) => type === 'panel').length;
  const singles = markers.length - panels;
  const results = markers.reduce((sum, { expected_results }) => sum + (expected_results?.length ?? 0), 0);
  const parts = [
    ...(panels > 0 ? [counted(panels, 'panel')] : []),
    ...(singles > 0 || panels === 0 ? [counted(singles, panels > 0 ? 'single marker' : 'marker')] : []),
    ...(results > 0 ? [counted(results, 'result')] : []),
  ];
  return parts.join(', ');
}
