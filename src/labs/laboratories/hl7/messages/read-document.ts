import { textAt, type Segment } from '@phial/hl7/message';
import type { Settings } from '../connections/settings.ts';
import { ResultProblem } from './result-problem.ts';
import { ownOf } from '../../../../wire/own.ts';

/** Of a document; a message of 8 MiB holds one of 6 at most, in Base64. */
const MOST_BYTES = 5 * 1_048_576;
/** So far from its end stands the mark of the end of a PDF, by what readers of PDFs accept. */
const END_WITHIN = 1_024;

/** ED is a document within the message, RP the name of one that lies elsewhere. */
export const isDocument = (observation: Segment): boolean =>
  ['ED', 'RP'].includes(textAt(observation, 2).toUpperCase());

/**
 * The laboratory's own report in a message: a PDF, told once or the same several times. 'withdrawn' where the laboratory
 * takes back the one that it sent; null where there is none, or only what is no PDF. Throws ResultProblem for what calls
 * itself a PDF and is none, is cut off or too large, and for several that differ, of which none is the report.
 */
export function readDocument(observations: Segment[], settings: Settings): Buffer | 'withdrawn' | null {
  if (settings.results.documents === 'leave_out') return null;
  const embedded = observations.filter((observation) => textAt(observation, 2).toUpperCase() === 'ED');
  const told = new Set(embedded.filter(isTold).flatMap(dataOf));
  if (told.size > 1) throw new ResultProblem('too_many_documents');
  const [pdf] = [...told].map(pdfOf);
  return pdf ?? (embedded.some(isTakenBack) ? 'withdrawn' : null);
}

const isTold = (observation: Segment): boolean =>
  ['F', 'P', 'R', 'S', 'C', 'A'].includes(textAt(observation, 11).toUpperCase());
const isTakenBack = (observation: Segment): boolean => ['D', 'W'].includes(textAt(observation, 11).toUpperCase());

/** The PDFs of an OBX-5, each as its encoding and what is encoded; what neither says nor shows that it is one is left out. */
function dataOf(observation: Segment): string[] {
  return (observation.fields[5] ?? []).flatMap((_, at) => {
    const part = (component: number): string => textAt(observation, 5, { component, repetition: at + 1 });
    const encoding = part(4).toUpperCase();
    const data = part(5).replaceAll(/\s/g, '');
    const claims = /pdf/i.test(part(2)) || /pdf/i.test(part(3));
    return claims || ownOf(BEGINNINGS, encoding)?.test(data) ? [`${encoding} ${data}`] : [];
  });
}

/** `%PDF-`, encoded. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = { BASE64: /^JVBERi/, HEX: /^255044462D/i };

/** `other` finds what no such encoding has: a search for one character, since the text may have megabytes. */
const WRITTEN: Readonly<Record<string, { as: 'base64' | 'hex'; other: RegExp; each: number }>> = {
  BASE64: { as: 'base64', other: /[^A-Za-z0-9+/=]|=[^=]|===/, each: 4 },
  HEX: { as: 'hex', other: /[^0-9A-Fa-f]/, each: 2 },
};

/** By its beginning and its end: what a PDF draws is for whoever opens it, and it is never opened here. */
function pdfOf(data: string): Buffer {
  const [encoding = '', text = ''] = data.split(' ');
  const written = ownOf(WRITTEN, encoding);
  if (!written || written.other.test(text) || text.length % written.each !== 0)
    throw new ResultProblem('document_broken');
  const bytes = Buffer.from(text, written.as);
  if (bytes.length > MOST_BYTES) throw new ResultProblem('document_too_large');
  const isWhole = bytes.subarray(0, 5).equals(Buffer.from('%PDF-')) && bytes.subarray(-END_WITHIN).includes('%%EOF');
  if (!isWhole) throw new ResultProblem('document_broken');
  return bytes;
}
