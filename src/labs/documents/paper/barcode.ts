import { code128, datamatrix, type DrawingContext } from 'bwip-js';

type Points = [number, number][];
export type Shapes = { width: number; height: number; bars: [x: number, width: number][]; polygons: Points[] };

/** Collects the shapes of a barcode. We draw shapes and no image, so the code is sharp at every size. */
function shapesOf(draw: (context: DrawingContext<Shapes>) => Shapes): Shapes {
  const shapes: Shapes = { width: 0, height: 0, bars: [], polygons: [] };
  return draw({
    scale: () => null,
    measure: () => ({ width: 0, ascent: 0, descent: 0 }),
    init: (width, height) => void Object.assign(shapes, { width, height }),
    // The library gives the middle of a bar, rounded up to an integer.
    line: (...[x0, , , , width]) => void shapes.bars.push([x0 - Math.ceil(width / 2), width]),
    polygon: (points) => void shapes.polygons.push(points),
    hexagon: () => undefined,
    ellipse: () => undefined,
    fill: () => undefined,
    text: () => undefined,
    end: () => shapes,
  });
}

/** Returns the shapes of a DataMatrix that contains the text. The text must be ASCII. */
export const dataMatrixOf = (text: string): Shapes =>
  shapesOf((context) => datamatrix({ bcid: 'datamatrix', text, scale: 1 }, context));

/** Draws a DataMatrix in this size. */
export function drawDataMatrix(
  doc: PDFKit.PDFDocument,
  { width, polygons }: Shapes,
  { x, y, size }: { x: number; y: number; size: number },
): void {
  const scale = size / width;
  for (const points of polygons)
    points.forEach(([px, py], index) => {
      const [at, down] = [x + px * scale, y + py * scale];
      if (index === 0) doc.moveTo(at, down);
      else doc.lineTo(at, down);
    });
  doc.fillColor('#000000').fill('even-odd');
}

/**
 * Draws a bar code of this height that ends at `right` and is at most `width` wide. If the bars would be too fine to
 * scan, it draws nothing and returns false.
 */
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

/** The width of the narrowest bar, in points. It is 0.19 mm. Hand scanners can read that from a laser print. */
const FINEST_BAR = 0.54;
const WIDEST_BAR = 1.2;
