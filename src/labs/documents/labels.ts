import { AppError } from '../../errors.ts';
import { requisitionEvent } from '../orders/requisition.ts';
import type { OrderFacts } from './facts.ts';
import { drawDataMatrix } from './paper/barcode.ts';
import { finish, newPage, openSheet, type Sheet } from './paper/sheet.ts';
import { drawLine, drawLines, LEADING, linesOf, QUIET, shrunk, type Style } from './paper/text.ts';
import { dayInWords, inWords, momentInWords } from './words.ts';

/** 2.25 by 1.25 inches, which label printers take; a page is a label. */
const SIZE: [number, number] = [162, 90];
const EDGE = 7;
const CODE = 50;

/**
 * Labels for the tubes or cards of an order, all alike: two identifiers of the patient, and the sample's number, else the order's,
 * as text and as DataMatrix, which is small enough for the longest number.
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
      'Labels name the patient: they are there as soon as the order has its requisition, until it is cancelled.',
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
  for (let index = 0; index < count; index++) {
    if (index > 0) await newPage(sheet);
    drawLabel(sheet, label);
  }
  return finish(sheet, null);
}

/** How a date alone comes here: as its first moment. It is told as the day. */
const DAY_ALONE = /T00:00:00\.000Z$/;

/** What the laboratory finds the order by: a tube that says another number than the message does is nobody's. */
function numberOf({ order: { row, lab }, laboratoryNumber }: OrderFacts): string {
  const number = row.sample_id ?? laboratoryNumber ?? (lab.connection === 'hl7' ? null : row.id);
  if (number !== null) return number;
  throw new AppError(
    'document_not_available',
    'Labels bear the number under which the order goes out to its laboratory. It has none yet: please ask again in a moment.',
  );
}

type Label = { name: string; born: string; number: string; numberOf: string; collected: string; source: string };

function drawLabel({ doc }: Sheet, { name, born, number, numberOf, collected, source }: Label): void {
  const width = SIZE[0] - 2 * EDGE;
  const least = 4;
  // A name takes one line, or two lines of letters as small as they need be: 101 letters fit.
  const big = shrunk(doc, name, { size: 10.5, font: 'bold' }, { width, least: 7 });
  const lines = linesOf(doc, name, width, big);
  const style = lines.length > 2 ? { ...big, size: 5 } : big;
  const named = drawLines(doc, linesOf(doc, name, width, style).slice(0, 3), { x: EDGE, y: EDGE - 1 }, style);
  let y = EDGE + named;
  const plain: Style = { size: 7 };
  drawLine(doc, born, { x: EDGE, y }, plain);
  y += plain.size * LEADING + 2;
  const square = Math.min(CODE, SIZE[1] - y - EDGE + 2);
  drawDataMatrix(doc, number, { x: EDGE, y, size: square });
  const x = EDGE + square + 6;
  const room = SIZE[0] - EDGE - x;
  drawLine(doc, numberOf, { x, y: y - 1 }, { size: 6, color: QUIET });
  const numberStyle = shrunk(doc, number, { size: 8.5, font: 'bold' }, { width: room, least: 5 });
  const below = y + 6 + drawLines(doc, linesOf(doc, number, room, numberStyle), { x, y: y + 6 }, numberStyle);
  const small = shrunk(doc, collected, { size: 6 }, { width: room, least });
  drawLine(doc, collected, { x, y: below + 2 }, small);
  drawLine(doc, source, { x, y: below + 10 }, { size: 6, color: QUIET });
}
