// Batches (HL7 v2.5.1, 2.10.3) in a file or an MLLP frame: [FHS] { [BHS] { MSH … } [BTS] } [FTS].
import { linesWithEnds } from './lines-with-ends.ts';
import { segment, textAt, type Segment } from './message.ts';
import { parseHeader } from './parse.ts';
import { replyAddress } from './reply-address.ts';
import { writeTime } from './times.ts';
import { write } from './write.ts';

type Batch = {
  /** The batch header (BHS), which we read like a message header. Null for messages outside of a batch. */
  header: Segment | null;
  messages: Buffer[];
  /**
   * True if the batch has as many messages as its trailer (BTS-1) states. A batch without a trailer was cut off. True
   * for messages outside of a batch.
   */
  isWhole: boolean;
};

export type Batches = {
  /** The file header (FHS), which we read like a message header. Null if there is none. */
  file: Segment | null;
  batches: Batch[];
  /** True if each batch is whole, and the file has as many batches as its trailer (FTS-1) states. */
  isWhole: boolean;
};

type Open = { header: Segment | null; messages: string[]; trailer: string | null };

/**
 * Returns the content up to the end of its first `most` messages. A caller that only parses these spends no time on the
 * others.
 */
export function firstMessages(content: Buffer, most: number): Buffer {
  let seen = 0;
  for (let at = content.indexOf('MSH'); at !== -1; at = content.indexOf('MSH', at + 3)) {
    const before = at === 0 ? '\r' : String.fromCharCode(content[at - 1] as number);
    if (before !== '\r' && before !== '\n') continue;
    seen += 1;
    if (seen > most) return content.subarray(0, at);
  }
  return content;
}

/**
 * Reads the batches of a file or frame. Text before the first message also becomes a message, so that it is not lost
 * without an error.
 */
export function readBatches(bytes: Buffer): Batches {
  const text = bytes.toString('latin1').replace(/^\u00EF\u00BB\u00BF/, '');
  let [file, fileTrailer]: [Segment | null, string | null] = [null, null];
  const open: Open[] = [];
  let batch: Open | undefined;
  const begin = (header: Segment | null): Open => {
    batch = { header, messages: [], trailer: null };
    open.push(batch);
    return batch;
  };
  for (const line of linesWithEnds(text)) {
    const name = /^(FHS|BHS|MSH|BTS|FTS)(?![A-Za-z0-9])/.exec(line)?.[1];
    if (name === 'FHS') file = headerOf(line);
    else if (name === 'BHS') begin(headerOf(line));
    else if (name === 'MSH') (batch ?? begin(null)).messages.push(line);
    else if (name === 'BTS') [(batch ?? begin(null)).trailer, batch] = [line, undefined];
    else if (name === 'FTS') [fileTrailer, batch] = [line, undefined];
    else if (line.trim() !== '') {
      const { messages } = batch ?? begin(null);
      messages.push((messages.pop() ?? '') + line);
    }
  }
  const batches = open.map(({ header, messages, trailer }) => ({
    header,
    messages: messages.map((message) => Buffer.from(message, 'latin1')),
    isWhole: header === null ? true : trailer !== null && counts(trailer, messages.length),
  }));
  const isWhole =
    batches.every((each) => each.isWhole) &&
    (file === null || (fileTrailer !== null && counts(fileTrailer, open.length)));
  return { file, batches, isWhole };
}

/**
 * Reads the messages of a file. Removes the bytes of MLLP frames. Returns null if the content begins with something
 * else, because then the file has no messages.
 */
export function readFileOfMessages(bytes: Buffer): Batches | null {
  const text = bytes
    .toString('latin1')
    .replaceAll(/(?![\n\r\t])\p{Cc}/gu, (control) => (control < '\u0020' ? '' : control))
    .replace(/^\u00EF\u00BB\u00BF/, '')
    .trimStart();
  return /^(MSH|FHS|BHS)/.test(text) ? readBatches(Buffer.from(text, 'latin1')) : null;
}

/** Reads FHS or BHS as if it were MSH. The fields have the same numbers, and each defines its own delimiters. */
const headerOf = (line: string): Segment | null => parseHeader(`MSH${line.slice(3)}`);

/** Returns whether BTS-1 or FTS-1 states the number that was found. An empty field agrees with every number. */
function counts(trailer: string, found: number): boolean {
  const [, stated = ''] = trailer.trimEnd().split(trailer.charAt(3));
  return stated === '' || Number(stated) === found;
}

/**
 * Writes the reply to a batch: a batch with the acknowledgments of its messages. BHS-12 and FHS-12 name the batch that
 * was received. If messages of it were missing, BTS-2 and FTS-2 say so.
 */
export function responseToBatches({ file, batches, isWhole }: Batches, acks: Buffer[][], id: () => string): Buffer {
  const responses = batches.map(({ header, isWhole: isComplete }, at) => {
    const own = acks[at] ?? [];
    const trailer = segment('BTS', { 1: String(own.length), ...(isComplete ? {} : { 2: INCOMPLETE }) });
    return Buffer.concat([
      Buffer.from(write([answeringHeader('BHS', header, id())]), 'latin1'),
      ...own,
      Buffer.from(write([trailer]), 'latin1'),
    ]);
  });
  if (file === null) return Buffer.concat(responses);
  const trailer = segment('FTS', { 1: String(responses.length), ...(isWhole ? {} : { 2: INCOMPLETE }) });
  return Buffer.concat([
    Buffer.from(write([answeringHeader('FHS', file, id())]), 'latin1'),
    ...responses,
    Buffer.from(write([trailer]), 'latin1'),
  ]);
}

export const INCOMPLETE = 'batch_incomplete';

function answeringHeader(name: 'BHS' | 'FHS', header: Segment | null, id: string): Segment {
  return segment(name, {
    1: '|',
    2: '^~\\&',
    ...replyAddress(header),
    7: writeTime(new Date().toISOString(), 'UTC'),
    11: id,
    12: textAt(header ?? undefined, 11),
  });
}
