// Messages in the manner of large and small laboratories (test/hl7-corpus): people and laboratories are invented.
import { readFileSync } from 'node:fs';

/** What is expected of one file of the corpus. */
export type CorpusEntry = {
  file: string;
  /** What kind of laboratory writes so, and what the message shows. */
  manner: string;
  shows: string;
  /** MSA-1 of the answer; of a batch one for each message. */
  ack: string | string[];
  /** Why it, or a part of it, waits. */
  reason?: string;
  /** What was taken as it stood, or left out. */
  warnings?: string[];
  /** By analyte: the result, its type, its interpretation, and its notes where they matter. */
  results: Record<string, [result: string, type: string, interpretation: string, notes?: string]>;
  /** Of the second order that it names. */
  results2?: CorpusEntry['results'];
  /** Analytes that are told as missing. */
  missing?: string[];
  /** It brings a PDF that is served as the report. */
  document?: boolean;
  encoding?: 'utf8' | 'latin1';
  /** How its segments end; CR where nothing is said. */
  ends?: string;
};

const FOLDER = 'test/hl7-corpus';

export const corpus = JSON.parse(readFileSync(`${FOLDER}/manifest.json`, 'utf8')) as CorpusEntry[];

/** The bytes of a message, for these orders: files have a line for each segment and places for what is made at run time. */
export function corpusMessage(
  { file, encoding = 'utf8', ends = '\r' }: CorpusEntry,
  places: { order: string; order2: string; sample: string },
): Buffer {
  const text = readFileSync(`${FOLDER}/messages/${file}`, 'utf8')
    .replaceAll('\n', ends)
    .replaceAll('{{lf}}', '\n')
    .replaceAll(/\{\{(order|order2|sample)\}\}/g, (_, place: keyof typeof places) => places[place]);
  return Buffer.from(text, encoding);
}
