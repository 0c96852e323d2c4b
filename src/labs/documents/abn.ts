import { AppError } from '../../errors.ts';
import type { OrderFacts } from './facts.ts';
import {
  blank,
  fields,
  finish,
  heading,
  LEFT,
  ensureSpace,
  openSheet,
  paragraph,
  section,
  table,
  type Sheet,
} from './paper/sheet.ts';
import { QUIET } from './paper/draw-text.ts';

const TEXT = { size: 8.5 };
const OPTIONS = [
  'OPTION 1. I want the tests listed above. You may ask to be paid now, but I also want Medicare billed for an ' +
    'official decision on payment, which is sent to me on a Medicare Summary Notice. If Medicare does not pay, I am ' +
    'responsible for payment, and I can appeal to Medicare by following the directions on that notice. If Medicare ' +
    'does pay, you refund what I paid, less co-pays and deductibles.',
  'OPTION 2. I want the tests listed above, but do not bill Medicare. You may ask to be paid now, as I am ' +
    'responsible for payment. I cannot appeal, since Medicare is not billed.',
  'OPTION 3. I do not want the tests listed above. I am not responsible for payment, and I cannot appeal to see ' +
    'whether Medicare would pay.',
];

/**
 * Draws an Advance Beneficiary Notice (ABN): it warns a patient that Medicare may not pay for the tests. The notice has
 * all items of the form by CMS, the US agency for Medicare, in our own layout, and states that the layout is ours. The
 * person who hands out the notice fills in the reason and the costs, because we do not know them.
 */
export async function drawAbn({ order, sender }: OrderFacts): Promise<Buffer> {
  const { row, labTest } = order;
  const patient = row.patient_details;
  if (!patient) {
    throw new AppError('document_not_available', 'The notice names the patient, and this order has no patient yet.');
  }
  const sheet = openSheet({ title: 'Advance Beneficiary Notice', at: row.created_at });
  heading(sheet, { from: sender.name, title: 'Advance Beneficiary Notice of Noncoverage', lines: sender.lines });
  await section(sheet, 'Who');
  await fields(
    sheet,
    [
      { label: 'A. Notifier', value: [sender.name, ...sender.lines].join(', ') },
      { label: 'B. Patient name', value: `${patient.first_name} ${patient.last_name}`, bold: true },
    ],
    [5, 4],
  );
  await fields(sheet, [{ label: 'C. Identification number', value: row.id }]);
  await paragraph(
    sheet,
    'NOTE: If Medicare does not pay for the laboratory tests below, you may have to pay. Medicare does not pay for ' +
      'everything, even some care that you or your physician have good reason to think you need. We expect that ' +
      'Medicare may not pay for the tests below.',
    TEXT,
  );
  await section(sheet, 'D. Laboratory tests', 60);
  await table(
    sheet,
    [
      { title: 'D. Test', width: 5 },
      { title: 'E. Reason Medicare may not pay', width: 6 },
      { title: 'F. Estimated cost', width: 3 },
    ],
    (labTest.markers ?? []).map(({ name }) => ({
      cells: [{ text: name, bold: true }, '____________________________', '$ __________'],
    })),
  );
  await section(sheet, 'What you need to do now', 50);
  await paragraph(
    sheet,
    'Read this notice, so that you can make an informed decision about your care. Ask us any questions that you ' +
      'may have after you finish reading. Then choose one option below about whether to receive the tests listed ' +
      'above.',
    TEXT,
  );
  await section(sheet, 'G. Options: check only one box. We cannot choose for you.', 50);
  for (const option of OPTIONS) await drawOption(sheet, option);
  await section(sheet, 'H. Additional information', 24);
  await ensureSpace(sheet, 22);
  blank(sheet.doc, LEFT, sheet.y + 10, 520);
  sheet.y += 20;
  await paragraph(
    sheet,
    'This notice gives our opinion, not an official Medicare decision. If you have other questions on this notice ' +
      'or on Medicare billing, call 1-800-MEDICARE (1-800-633-4227, TTY 1-877-486-2048). Signing below means that ' +
      'you have received and understand this notice. You may ask for a copy.',
    TEXT,
  );
  await fields(
    sheet,
    [
      { label: 'I. Signature', value: null },
      { label: 'J. Date', value: null },
    ],
    [5, 2],
  );
  await paragraph(
    sheet,
    'This page follows the items of the notice CMS-R-131 in a layout of its own. It is not the form that the ' +
      'Office of Management and Budget has approved; where that form is required, please use it.',
    { size: 7.5, color: QUIET },
  );
  return finish(sheet, `Advance Beneficiary Notice of order ${row.id}`);
}

/** Draws a box to tick, followed by its text. */
async function drawOption(sheet: Sheet, text: string): Promise<void> {
  await ensureSpace(sheet, 46);
  sheet.doc
    .rect(LEFT, sheet.y + 1, 9, 9)
    .lineWidth(0.9)
    .strokeColor('#1b2430')
    .stroke();
  await paragraph(sheet, text, TEXT, 18);
}
