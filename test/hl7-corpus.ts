// Messages as large and small laboratories write them (test/hl7-corpus). The people and laboratories are invented.
import { readFileSync } from 'node:fs';

/** The expected outcome of one file of the corpus. */
export type CorpusEntry = {
  file: string;
  /** The kind of laboratory that writes such messages. `shows` is what the message shows. */
  manner: string;
  shows: string;
  /** MSA-1 of the answer. A batch has one for each message. */
  ack: string | string[];
  /** The reason why the message, or a part of it, waits. */
  reason?: string;
  /** Codes of parts that we read as they were, or left out. */
  warnings?: string[];
  /** By analyte: the result, its type, its interpretation, and its notes if they matter. */
  results: Record<string, [result: string, type: string, interpretation: string, notes?: string]>;
  /** The results of the second order in the message. */
  results2?: CorpusEntry['results'];
  /** Analytes that are reported as missing. */
  missing?: string[];
  /** Whether the message contains a PDF that we serve as the report. */
  document?: boolean;
  encoding?: 'utf8' | 'latin1';
  /** The segment ends. The default is CR. */
  ends?: string;
};

const FOLDER = 'test/hl7-corpus';

export const corpus = JSON.parse(readFileSync(`${FOLDER}/manifest.json`, 'utf8')) as CorpusEntry[];

/**
 * Returns the bytes of a message for these orders. A file has a line for each segment and placeholders for values of
 * the test run.
 */
export function corpusMessage(
  { file, encoding = 'utf8', ends = '\r' }: CorpusEntry,
  replacements: { order: string; order2: string; sample: string },
): Buffer {
  const text = readFileSync(`${FOLDER}/messages/${file}`, 'utf8')
    .replaceAll('\n', ends)
    .replaceAll('{{lf}}', '\n')
    .replaceAll(
      /\{\{(order|order2|sample)\}\}/g,
      (_, placeholder: keyof typeof replacements) => replacements[placeholder],
    );
  return Buffer.from(text, encoding);
}
