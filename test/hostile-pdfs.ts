// PDFs written by hand, to break a reader.
import { constants, deflateSync } from 'node:zlib';

/** A page whose text `content` draws. */
export const pageDrawnBy = (content: string): Buffer =>
  byHand([CATALOG, PAGES, PAGE, `<</Length ${content.length}>>\nstream\n${content}\nendstream`]);

/** The same page, repeated. */
export const samePage = (count: number): Buffer =>
  byHand([
    CATALOG,
    `<</Type/Pages/Kids[${'3 0 R '.repeat(count)}]/Count ${count}>>`,
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>',
  ]);

/** Nested graphics states. */
export const nestedStates = (depth: number): Buffer => pageDrawnBy(`BT ${'q '.repeat(depth)} (x) Tj ET`);

const MIB = 1024 * 1024;

/** A page whose content has some kilobytes, and unpacks to so many mebibytes of spaces. */
export function inflateBomb(mebibytes: number): Buffer {
  // Blocks without references to earlier ones can be repeated unchanged.
  const zlib = deflateSync(Buffer.alloc(MIB, ' '), { finishFlush: constants.Z_FULL_FLUSH });
  const [head, block] = [zlib.subarray(0, 2), zlib.subarray(2)];
  const once = Buffer.concat([head, ...Array.from({ length: mebibytes }, () => block), Buffer.from([3, 0])]);
  const packed = deflateSync(once).toString('latin1');
  const filters = '/Filter[/FlateDecode/FlateDecode]';
  return byHand([CATALOG, PAGES, PAGE, `<<${filters}/Length ${packed.length}>>\nstream\n${packed}\nendstream`]);
}

const CATALOG = '<</Type/Catalog/Pages 2 0 R>>';
const PAGES = '<</Type/Pages/Kids[3 0 R]/Count 1>>';
const PAGE = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<<>>>>';

function byHand(objects: string[]): Buffer {
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF`;
  return Buffer.from(`${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`, 'latin1');
}
