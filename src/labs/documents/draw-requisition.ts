import { ageInYears } from '../../wire/birth-date.ts';
import { AppError } from '../../errors.ts';
import type { StoredInsurance } from '../../insurance/find-latest.ts';
import type { LoadedOrder } from '../orders/load-order.ts';
import { requisitionEvent } from '../orders/requisition-event.ts';
import { partsOf } from '../orders/status/statuses.ts';
import { drawAnswers } from './draw-answers.ts';
import type { OrderFacts } from './facts.ts';
import { drawPicture } from './paper/picture.ts';
import { dataMatrixOf, drawCode128, drawDataMatrix } from './paper/barcode.ts';
import {
  banner,
  fields,
  finish,
  heading,
  LEFT,
  ensureSpace,
  openSheet,
  paragraph,
  RIGHT,
  section,
  table,
  type Sheet,
} from './paper/sheet.ts';
import { drawLineEnding, QUIET, shrunk } from './paper/draw-text.ts';
import { addressInWords, dayInWords, inWords, methodInWords, momentInWords, phoneInWords } from './values-in-words.ts';

/**
 * Draws the requisition, the paper that goes to the laboratory with a sample. It has the items that a US laboratory
 * must ask for under 42 CFR 493.1241(c). If we do not know an item, the requisition has a line to fill in by hand.
 */
export async function drawRequisition(facts: OrderFacts): Promise<Buffer> {
  const { order, sender, lab, insurance, laboratoryNumber } = facts;
  const created = requisitionEvent(order.events);
  if (!created) {
    throw new AppError(
      'document_not_available',
      'This order has no requisition: it has not been made yet, or the order was cancelled.',
    );
  }
  const sheet = openSheet({ title: 'Laboratory requisition', at: created.created_at, spacing: 'close' });
  drawCodes(sheet, order, laboratoryNumber ?? order.row.id);
  const lines = [...sender.lines, `Ordered ${momentInWords(order.row.created_at, facts.zone)}`];
  heading(sheet, { from: sender.name, title: 'Laboratory requisition', lines }, 236);
  if (order.row.priority) await banner(sheet, 'PRIORITY: please handle this sample first.');
  if (partsOf(created.status).low === 'requisition_bypassed')
    await banner(
      sheet,
      `ELECTRONIC ORDER${laboratoryNumber === null ? '' : ` ${laboratoryNumber}`}: ` +
        'the laboratory also receives this order electronically. This paper goes with the sample and is not a ' +
        'second order.',
      QUIET,
    );
  await drawPatient(sheet, order);
  await drawOrderer(sheet, facts);
  await section(sheet, 'Performing laboratory');
  await fields(
    sheet,
    [
      { label: 'Laboratory', value: lab.name },
      { label: 'Address', value: lab.address },
      { label: 'CLIA number', value: lab.clia_number },
      { label: 'Account', value: facts.accountNumber },
    ],
    [3, 4, 1.6, 1.6],
  );
  await drawTests(sheet, order);
  await drawAnswers(sheet, facts);
  await drawSpecimen(sheet, order);
  await drawBilling(sheet, order, insurance);
  await drawConsents(sheet, facts);
  const patient = order.row.patient_details;
  const who = patient ? `${patient.last_name}, ${patient.first_name}  ·  born ${dayInWords(patient.dob)}  ·  ` : '';
  return finish(sheet, `${who}Requisition of order ${order.row.id}`);
}

/**
 * Draws the codes to scan. The sample id is a bar code. If the bars would be too fine to scan, it is a DataMatrix
 * instead, which is a square code. The number by which the laboratory knows the order is always a DataMatrix.
 */
function drawCodes({ doc, y }: Sheet, { row }: LoadedOrder, number: string): void {
  const size = 52;
  drawDataMatrix(doc, dataMatrixOf(number), { x: RIGHT - size, y, size });
  drawLineEnding(doc, 'Order', { x: RIGHT, y: y + size + 3 }, { size: 7, color: QUIET });
  const right = RIGHT - size - 22;
  if (row.sample_id === null) return;
  const width = 160;
  if (!drawCode128(doc, row.sample_id, { right, y, width, height: 38 }))
    drawDataMatrix(doc, dataMatrixOf(row.sample_id), { x: right - size, y, size });
  const text = `Sample ${row.sample_id}`;
  drawLineEnding(
    doc,
    text,
    { x: right, y: y + size + 2 },
    shrunk(doc, text, { size: 8.5, font: 'bold' }, { width, least: 4 }),
  );
}

async function drawPatient(sheet: Sheet, { row, user }: LoadedOrder): Promise<void> {
  const { patient_details: patient, patient_address: address } = row;
  await section(sheet, 'Patient');
  await fields(
    sheet,
    [
      {
        label: 'Name (last, first)',
        value: patient ? `${patient.last_name}, ${patient.first_name}` : null,
        bold: true,
      },
      { label: 'Date of birth', value: patient && dayInWords(patient.dob) },
      { label: 'Sex', value: patient && inWords(patient.gender) },
      { label: 'Age at order', value: patient && String(ageInYears(patient.dob, Date.parse(row.created_at))) },
    ],
    [5, 2, 2, 1.5],
  );
  await fields(
    sheet,
    [
      { label: 'Address', value: address && addressInWords(address) },
      { label: 'Telephone', value: patient?.phone_number ? phoneInWords(patient.phone_number) : null },
    ],
    [5, 2],
  );
  await fields(
    sheet,
    [
      { label: 'Patient ID', value: user.id },
      { label: 'Email', value: patient?.email ?? null },
    ],
    [5, 4],
  );
  const proxy = patient?.medical_proxy;
  if (!proxy) return;
  await fields(
    sheet,
    [
      { label: 'Responsible for this minor', value: `${proxy.last_name}, ${proxy.first_name}` },
      { label: 'Address', value: addressInWords(proxy.address) },
      { label: 'Telephone', value: phoneInWords(proxy.phone_number) },
    ],
    [3, 4, 2],
  );
}

/** Draws the person who ordered, and the contact to which the laboratory reports critical values. */
async function drawOrderer(sheet: Sheet, { order, sender, signature }: OrderFacts): Promise<void> {
  const { physician } = order.row;
  await section(sheet, 'Ordered by');
  await fields(
    sheet,
    [
      { label: 'Ordering physician', value: physician && `${physician.first_name} ${physician.last_name}`, bold: true },
      { label: 'NPI', value: physician?.npi ?? null },
      { label: 'Critical values to', value: physician?.email ?? sender.lines[1] ?? null },
    ],
    [4, 2, 4],
  );
  await ensureSpace(sheet, 44);
  const box = { x: LEFT, y: sheet.y + 9, width: 180, height: 30 };
  const isDrawn = signature !== null && (await drawPicture(sheet.doc, signature, box));
  await fields(
    sheet,
    [
      {
        label: "Physician's signature",
        value:
          signature === null
            ? null
            : isDrawn
              ? ' '
              : 'Signed: the image cannot be printed and is stored with the order',
      },
      { label: 'Date', value: null },
    ],
    [4, 2],
  );
  if (isDrawn) sheet.y += 16;
}

async function drawTests(sheet: Sheet, { labTest, row }: LoadedOrder): Promise<void> {
  await section(sheet, 'Tests ordered', 60);
  await table(
    sheet,
    [
      { title: 'Test', width: 6 },
      { title: 'Laboratory code', width: 3 },
      { title: 'Kind', width: 2 },
    ],
    (labTest.markers ?? []).map(({ name, provider_id, type }) => ({
      cells: [{ text: name, bold: true }, provider_id ?? '', inWords(type ?? '')],
    })),
  );
  await fields(
    sheet,
    [
      { label: 'Ordered as', value: labTest.name },
      { label: 'ICD-10 codes', value: row.icd_codes?.length ? row.icd_codes.join(', ') : null },
    ],
    [4, 5],
  );
  if (row.clinical_notes !== null) await fields(sheet, [{ label: 'Clinical notes', value: row.clinical_notes }]);
}

async function drawSpecimen(sheet: Sheet, { labTest, row }: LoadedOrder): Promise<void> {
  await section(sheet, 'Specimen', 64);
  await fields(
    sheet,
    [
      { label: 'Source', value: inWords(labTest.sample_type) },
      { label: 'Collection', value: methodInWords(row.method) },
      { label: 'Fasting required', value: labTest.fasting ? 'Yes' : 'No' },
    ],
    [3, 4, 2],
  );
  await fields(sheet, [
    { label: 'Date collected', value: null },
    { label: 'Time collected', value: null },
    { label: 'Hours fasted', value: null },
    { label: 'Collected by', value: null },
  ]);
}

async function drawBilling(sheet: Sheet, { row }: LoadedOrder, insurance: StoredInsurance | null): Promise<void> {
  // Readers need all billing data together, so this section stays on one page.
  const rows =
    insurance === null ? 1 : 4 + Number(insurance.relationship !== 'Self') + Number(insurance.guarantor !== null);
  await section(sheet, 'Billing', rows * 30);
  await fields(
    sheet,
    [
      { label: 'Bill to', value: inWords(row.billing_type) },
      { label: 'Advance Beneficiary Notice attached', value: row.has_abn ? 'Yes' : 'No' },
    ],
    [1, 1],
  );
  if (!insurance) return;
  const { company, insured, guarantor, member_id, group_id, relationship, payor_code } = insurance;
  await fields(
    sheet,
    [
      { label: 'Payor', value: `${company.name} (${payor_code})`, bold: true },
      { label: 'Member ID', value: member_id },
      { label: 'Group', value: group_id },
    ],
    [4, 3, 2],
  );
  await fields(sheet, [{ label: "Payor's address", value: addressInWords(company.address) }]);
  await fields(
    sheet,
    [
      { label: 'Insured', value: `${insured.last_name}, ${insured.first_name}` },
      { label: 'Patient is', value: relationship === 'Self' ? 'The insured' : inWords(relationship) },
      { label: "Insured's date of birth", value: insured.dob ? dayInWords(insured.dob) : null },
    ],
    [4, 2, 3],
  );
  if (relationship !== 'Self')
    await fields(sheet, [{ label: "Insured's address", value: addressInWords(insured.address) }]);
  if (!guarantor) return;
  await fields(
    sheet,
    [
      { label: 'Guarantor', value: `${guarantor.last_name}, ${guarantor.first_name}` },
      { label: "Guarantor's address", value: addressInWords(guarantor.address) },
      { label: 'Telephone', value: phoneInWords(guarantor.phone_number) },
    ],
    [3, 4, 2],
  );
}

async function drawConsents(sheet: Sheet, { order, zone }: OrderFacts): Promise<void> {
  const { consents } = order.row;
  if (!consents || consents.length === 0) return;
  await section(sheet, 'Consents of the patient', 24);
  const said = consents.map(({ consentType, version, timeOfConsent }) => {
    const given = timeOfConsent ? `given ${momentInWords(timeOfConsent, zone)}` : 'given';
    return `${inWords(consentType)}, version ${version ?? '1.0'}, ${given}`;
  });
  await paragraph(sheet, said.join('  ·  '), { size: 8.5 });
}
