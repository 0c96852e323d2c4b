// Makes a note from a State of Mind entry, which is Apple's diary of moods. The note says how the person felt, in the
// words of the export.
import type { ParsedSample } from '../parsed-line.ts';
import type { Element } from '../xml.ts';
import { momentOf } from './time.ts';

const LONGEST_WORDS = 1_000;

/** Whether the name of an element or type belongs to a State of Mind entry. */
export const isStateOfMind = (name: string): boolean => name.includes('StateOfMind');

/**
 * Returns the note. Returns null if the entry has no time, or has neither a word nor a valence (Apple's number from
 * unpleasant to pleasant).
 */
export function stateOfMindOf(attributes: Element['attributes'], metadata: Map<string, string>): ParsedSample | null {
  const of = (name: string): string => (attributes[name] ?? metadata.get(name) ?? '').slice(0, LONGEST_WORDS).trim();
  const begin = momentOf(attributes['startDate']);
  const end = momentOf(attributes['endDate'] ?? attributes['startDate']);
  const valence = of('valence') || of('value');
  const words: [label: string, text: string][] = [
    ['kind', of('kind')],
    ['valence', Number.isFinite(Number(valence || NaN)) ? valence : ''],
    ['classification', of('valenceClassification')],
    ['labels', of('labels')],
    ['associations', of('associations')],
  ];
  const said = words.filter(([, text]) => text !== '').map(([label, text]) => `${label}: ${text}`);
  if (!begin || !end || said.length === 0) return null;
  return {
    resource: 'note',
    provider: 'apple_health_kit',
    source_type: 'app',
    timezone_offset: begin.offset,
    start: new Date(begin.at).toISOString(),
    end: new Date(end.at).toISOString(),
    unit: 'text',
    value: `State of Mind (${said.join('; ')})`,
    tags: ['unspecified'],
  };
}
