import { AppError } from '../../errors.ts';
import { requisitionEvent } from '../orders/requisition-event.ts';
import type { OrderFacts } from './facts.ts';
import { dataMatrixOf, drawDataMatrix, type Shapes } from './paper/barcode.ts';
import { finish, newPage, openSheet, type Sheet } from './paper/sheet.ts';
import { drawLine, drawLines, LEADING, linesOf, QUIET, shrunk, type Style } from './paper/draw-text.ts';
import { dayInWords, inWords, momentInWords } from './values-in-words.ts';

/** The size of a page in points: 2.25 by 1.25 inches, which label printers accept. Each page is one label. */
const SIZE: [number, number] = [162, 90];
const EDGE = 7;
const CODE = 50;

/**
 * Draws labels for the tubes or cards of an order. All labels are equal. A label shows the patient's name and date of
 * birth, and a number. This is the sample id, or else the number of the order. The label shows the number as text and
 * as a DataMatrix, a square code that can contain the longest number.
 */
export async function drawLabels(
  facts: OrderFacts,
  { count, collected }: { count: number; collected: string },
): Promise<Buffer> {
  const { order } = facts;
  const { row, events } = order;
  const created = requisitionEvent(events);
  if (!created || !row.patient_details) {
    throw new AppError(
      'document_not_available',
      'Labels name the patient, so they exist from the requisition of the order until its cancellation.',
    );
  }
  const number = numberOf(facts);
  const sheet = openSheet({ title: 'Specimen labels', at: created.created_at }, SIZE);
  const { first_name, last_name, dob, gender } = row.patient_details;
  const label = {
    name: `${last_name}, ${first_name}`,
    born: `Born ${dayInWords(dob)}  ·  ${inWords(gender)}`,
    number,
    numberOf: row.sample_id === null ? 'Order' : 'Sample',
    collected: `Collected ${momentInWords(collected.replace(DAY_ALONE, ''), facts.zone)}`,
    source: inWords(order.labTest.sample_type),
  };
  const code = dataMatrixOf(number);
  for (let index = 0; index < count; index++) {
    if (index > 0) await newPage(sheet);
    drawLabel(sheet, label, code);
  }
  return finish(sheet, null);
}

/** A collection date without a time arrives here as the first moment of the day. The label shows only the day. */
const DAY_ALONE = /T00:00:00\.000Z$/;

/**
 * Returns the number by which the laboratory finds the order. The tube must have the same number as the order message.
 * Otherwise the laboratory cannot find out which order the tube belongs to.
 */
function numberOf({ order: { row, lab }, laboratoryNumber }: OrderFacts): string {
  const number = row.sample_id ?? laboratoryNumber ?? (lab.connection === 'hl7' ? null : row.id);
  if (number !== null) return number;
  throw new AppError(
    'document_not_available',
    'Labels show the number under which the order goes to its laboratory. It has none yet: please ask again in a ' +
      'moment.',
  );
}

type Label = { name: string; born: string; number: string; numberOf: string; collected: string; source: string };

function drawLabel({ doc }: Sheet, { name, born, number, numberOf, collected, source }: Label, code: Shapes): void {
  const width = SIZE[0] - 2 * EDGE;
  const least = 4;
  // A short name takes one line. A longer name gets smaller letters and at most three lines: 101 letters fit.
  const big = shrunk(doc, name, { size: 10.5, font: 'bold' }, { width, least: 7 });
  const lines = linesOf(doc, name, width, big);
  const style = lines.length > 2 ? { ...big, size: 5 } : big;
  const named = drawLines(doc, linesOf(doc, name, width, style).slice(0, 3), { x: EDGE, y: EDGE - 1 }, style);
  let y = EDGE + named;
  const plain: Style = { size: 7 };
  drawLine(doc, born, { x: EDGE, y }, plain);
  y += plain.size * LEADING + 2;
  const square = Math.min(CODE, SIZE[1] - y - EDGE + 2);
  drawDataMatrix(doc, code, { x: EDGE, y, size: square });
  const x = EDGE + square + 6;
  const availableWidth = SIZE[0] - EDGE - x;
  drawLine(doc, numberOf, { x, y: y - 1 }, { size: 6, color: QUIET });
  const numberStyle = shrunk(doc, number, { size: 8.5, font: 'bold' }, { width: availableWidth, least: 5 });
  const below = y + 6 + drawLines(doc, linesOf(doc, number, availableWidth, numberStyle), { x, y: y + 6 }, numberStyle);
  const small = shrunk(doc, collected, { size: 6 }, { width: availableWidth, least });
  drawLine(doc, collected, { x, y: below + 2 }, small);
  drawLine(doc, source, { x, y: below + 10 }, { size: 6, color: QUIET });
}
