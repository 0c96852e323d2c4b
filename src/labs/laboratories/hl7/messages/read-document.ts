import { textAt, type Segment } from '@phial/hl7/message';
import type { Settings } from '../connections/connection-settings.ts';
import { ResultProblem } from './result-problem.ts';
import { ownProperty } from '../../../../wire/own-property.ts';

/**
 * The largest accepted document in bytes. A message may have 8 MiB, of which Base64 uses a quarter, so no document can
 * have more than 6 MiB.
 */
const MAX_BYTES = 5 * 1_048_576;
/** PDF readers accept a file only if its end mark `%%EOF` is within this many bytes of the end. */
const END_WITHIN = 1_024;

/**
 * Returns whether an OBX is a document and not a value. The type ED is a document in the message, and RP points to a
 * document elsewhere.
 */
export const isDocument = (observation: Segment): boolean =>
  ['ED', 'RP'].includes(textAt(observation, 2).toUpperCase());

/**
 * Reads the laboratory's own report as a PDF. The message may contain the same PDF several times. Returns 'withdrawn'
 * if the laboratory takes its report back, and null if there is no PDF. Throws ResultProblem if the PDF is broken, cut
 * off or too large, or if there are different PDFs, because we cannot know which one is the report.
 */
export function readDocument(observations: Segment[], settings: Settings): Buffer | 'withdrawn' | null {
  if (settings.results.documents === 'leave_out') return null;
  const embedded = observations.filter((observation) => textAt(observation, 2).toUpperCase() === 'ED');
  const documents = new Set(embedded.filter(isReported).flatMap(dataOf));
  if (documents.size > 1) throw new ResultProblem('too_many_documents');
  const [pdf] = [...documents].map(pdfOf);
  return pdf ?? (embedded.some(isTakenBack) ? 'withdrawn' : null);
}

const isReported = (observation: Segment): boolean =>
  ['F', 'P', 'R', 'S', 'C', 'A'].includes(textAt(observation, 11).toUpperCase());
const isTakenBack = (observation: Segment): boolean => ['D', 'W'].includes(textAt(observation, 11).toUpperCase());

/**
 * Returns the PDFs in OBX-5, each as its encoding and its data. A repetition is one value of a field that has several.
 * We read a repetition if it declares a PDF or begins like a PDF, and skip all others.
 */
function dataOf(observation: Segment): string[] {
  return (observation.fields[5] ?? []).flatMap((_, at) => {
    const part = (component: number): string => textAt(observation, 5, { component, repetition: at + 1 });
    const encoding = part(4).toUpperCase();
    const data = part(5).replaceAll(/\s/g, '');
    const claims = /pdf/i.test(part(2)) || /pdf/i.test(part(3));
    return claims || ownProperty(BEGINNINGS, encoding)?.test(data) ? [`${encoding} ${data}`] : [];
  });
}

/** The text `%PDF-` in each encoding. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = { BASE64: /^JVBERi/, HEX: /^255044462D/i };

/**
 * How to read each encoding. `other` finds characters that are not part of the encoding. The text may have megabytes,
 * so `other` matches only a few characters at a time.
 */
const WRITTEN: Readonly<Record<string, { as: 'base64' | 'hex'; other: RegExp; each: number }>> = {
  BASE64: { as: 'base64', other: /[^A-Za-z0-9+/=]|=[^=]|===/, each: 4 },
  HEX: { as: 'hex', other: /[^0-9A-Fa-f]/, each: 2 },
};

/**
 * Decodes a PDF and checks only its beginning and its end. We parse nothing in between, because only the client's PDF
 * reader needs it.
 */
function pdfOf(data: string): Buffer {
  const [encoding = '', text = ''] = data.split(' ');
  const written = ownProperty(WRITTEN, encoding);
  if (!written || written.other.test(text) || text.length % written.each !== 0)
    throw new ResultProblem('document_broken');
  const bytes = Buffer.from(text, written.as);
  if (bytes.length > MAX_BYTES) throw new ResultProblem('document_too_large');
  const isWhole = bytes.subarray(0, 5).equals(Buffer.from('%PDF-')) && bytes.subarray(-END_WITHIN).includes('%%EOF');
  if (!isWhole) throw new ResultProblem('document_broken');
  return bytes;
}
