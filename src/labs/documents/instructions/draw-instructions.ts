import { isSampleType, type LabTest } from '../../catalogue/schemas.ts';
import type { CollectionMethod } from '../../orders/status/statuses.ts';
import type { Sender } from '../facts.ts';
import { fields, finish, heading, item, openSheet, paragraph, section } from '../paper/sheet.ts';
import { QUIET } from '../paper/draw-text.ts';
import { inWords, methodInWords } from '../values-in-words.ts';
import { COLLECTED_BY_STAFF, FASTING, KIT, NO_FASTING, UNWELL } from './instruction-texts.ts';
import { AppError } from '../../../errors.ts';

/** Draws the collection instructions of a lab test, for the patient. */
export async function drawInstructions(
  labTest: LabTest,
  sender: Sender,
  { at, footer }: { at: string; footer: string },
): Promise<Buffer> {
  const { sample_type: sample } = labTest;
  const method = labTest.method as CollectionMethod;
  if (!isSampleType(sample))
    throw new AppError('document_not_available', 'There are no collection instructions for samples of this type.');
  const { ready, steps } = method === 'testkit' ? KIT[sample] : COLLECTED_BY_STAFF[method];
  const sheet = openSheet({ title: 'How to collect your sample', at });
  heading(sheet, { from: sender.name, title: 'How to collect your sample', lines: sender.lines });
  await section(sheet, 'Your test');
  await fields(
    sheet,
    [
      { label: 'Test', value: labTest.name, bold: true },
      { label: 'Sample', value: inWords(sample) },
      { label: 'Collection', value: methodInWords(method) },
    ],
    [4, 3, 4],
  );
  const large = { size: 11 };
  await section(sheet, 'Fasting');
  await paragraph(sheet, labTest.fasting ? FASTING : NO_FASTING, labTest.fasting ? { ...large, font: 'bold' } : large);
  await section(sheet, 'Have ready');
  for (const thing of ready) await item(sheet, '•', thing, large);
  await section(sheet, 'Step by step');
  for (const [index, step] of steps.entries()) await item(sheet, `${index + 1}.`, step, large);
  await section(sheet, 'If you feel unwell');
  await paragraph(sheet, UNWELL, large);
  await paragraph(
    sheet,
    'These are general instructions. Where the leaflet of your kit, or the person who takes your sample, says ' +
      'otherwise, follow that.',
    { size: 8.5, color: QUIET },
  );
  return finish(sheet, footer);
}
