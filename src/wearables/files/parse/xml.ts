import { SaxesParser } from 'saxes';
import { ImportFailure } from '../failures.ts';
import type { Content } from './content.ts';

export type Element = { name: string; attributes: Record<string, string> };

type Handlers = {
  open: (element: Element) => void;
  /** With the text that stood in it since the last element in it ended. */
  close: (name: string, text: string) => void;
  /** After each piece of the file, with the part of it that has been read. */
  read: (progress: number) => Promise<void>;
};

/** Of a value that anybody reads; the rest of a longer text is left out. */
const LONGEST_TEXT = 1_000;

/**
 * Goes through an XML file of any size. Entities of a document type are never expanded and nothing that it names is
 * fetched. Throws file_broken where it is no XML, and file_incomplete where it ends before its end.
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

/** Without the prefix of a namespace, which each program chooses for itself. */
const local = (name: string): string => (name.includes(':') ? name.slice(name.indexOf(':') + 1) : name);
