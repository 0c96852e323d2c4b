import { code128, datamatrix, type DrawingContext } from 'bwip-js';

type Points = [number, number][];
type Shapes = { width: number; height: number; bars: [x: number, width: number][]; polygons: Points[] };

/** Collects the shapes of a barcode, so that it is drawn as lines and not as a picture: sharp at every size. */
function shapesOf(draw: (context: DrawingContext<Shapes>) => Shapes): Shapes {
  const shapes: Shapes = { width: 0, height: 0, bars: [], polygons: [] };
  return draw({
    scale: () => null,
    measure: () => ({ width: 0, ascent: 0, descent: 0 }),
    init: (width, height) => void Object.assign(shapes, { width, height }),
    // The middle of a bar is told as the whole number above it.
    line: (...[x0, , , , width]) => void shapes.bars.push([x0 - Math.ceil(width / 2), width]),
    polygon: (points) => void shapes.polygons.push(points),
    hexagon: () => undefined,
    ellipse: () => undefined,
    fill: () => undefined,
    text: () => undefined,
    end: () => shapes,
  });
}

/** Draws a square of `size` that scanners read the text from. The text is of ASCII. */
export function drawDataMatrix(
  doc: PDFKit.PDFDocument,
  text: string,
  { x, y, size }: { x: number; y: number; size: number },
): void {
  const { width, polygons } = shapesOf((context) => datamatrix({ bcid: 'datamatrix', text, scale: 1 }, context));
  const scale = size / width;
  for (const points of polygons)
    points.forEach(([px, py], index) => {
      const [at, down] = [x + px * scale, y + py * scale];
      if (index === 0) doc.moveTo(at, down);
      else doc.lineTo(at, down);
    });
  doc.fillColor('#000000').fill('even-odd');
}

/** Draws bars of this height that end at `right`, at most `width` wide; answers false, and draws nothing, where they would be too fine to scan. */
export function drawCode128(
  doc: PDFKit.PDFDocument,
  text: string,
  { right, y, width, height }: { right: number; y: number; width: number; height: number },
): boolean {
  const shapes = shapesOf((context) => code128({ bcid: 'code128', text, scale: 1 }, context));
  const bar = Math.min(WIDEST_BAR, width / shapes.width);
  if (bar < FINEST_BAR) return false;
  const left = right - shapes.width * bar;
  for (const [x, wide] of shapes.bars) doc.rect(left + x * bar, y, wide * bar, height);
  doc.fillColor('#000000').fill();
  return true;
}

/** Of the narrowest bar, in points: 0.19 mm, which hand scanners read from a laser print. */
const FINEST_BAR = 0.54;
const WIDEST_BAR = 1.2;
