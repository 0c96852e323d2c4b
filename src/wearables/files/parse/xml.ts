import { SaxesParser } from 'saxes';
import { ImportFailure } from '../failures.ts';
import type { Content } from './content.ts';

export type Element = { name: string; attributes: Record<string, string> };

type Handlers = {
  open: (element: Element) => void;
  /** Called at the end of an element. `text` is the text between its last child element and its end. */
  close: (name: string, text: string) => void;
  /** Called after each chunk of the file. `progress` is the part of the file that was read, from 0 to 1. */
  read: (progress: number) => Promise<void>;
};

/** The longest text of an element. A longer text is cut. */
const LONGEST_TEXT = 1_000;

/**
 * Reads an XML file of any size. A malicious document type can define entities that expand to gigabytes, or name files
 * to fetch. So this function expands no entity of a document type and fetches nothing. Throws file_broken if the file
 * is not XML, and file_incomplete if its end is missing.
 */
export async function readXml({ bytes, chunks }: Content, { open, close, read }: Handlers): Promise<void> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  let ended = false;
  parser.on('error', () => {
    throw new ImportFailure(ended ? 'file_incomplete' : 'file_broken');
  });
  let text = '';
  parser.on('opentag', ({ name, attributes }) => {
    text = '';
    open({ name: local(name), attributes });
  });
  parser.on('closetag', ({ name }) => {
    close(local(name), text.trim());
    text = '';
  });
  parser.on('text', (more) => {
    if (text.length < LONGEST_TEXT) text += more;
  });
  const decoder = new TextDecoder('utf-8');
  let done = 0;
  for await (const chunk of chunks) {
    done += chunk.length;
    parser.write(decoder.decode(chunk, { stream: true }));
    await read(Math.min(1, done / bytes));
  }
  ended = true;
  parser.write(decoder.decode()).close();
}

/** Returns a name without its namespace prefix. Each program chooses its own prefixes. */
const local = (name: string): string => (name.includes(':') ? name.slice(name.indexOf(':') + 1) : name);
