import { escapeHtml } from '../../operation/html-page.ts';
import { isSampleType, type LabTest } from '../catalogue/schemas.ts';
import { COLLECTED_BY_STAFF, FASTING, KIT, NO_FASTING, UNWELL } from '../documents/instructions/instruction-texts.ts';
import type { CollectionMethod } from '../orders/status/statuses.ts';
import { paragraph } from './page-parts.ts';

/**
 * Returns instructions for the collection as a section of the page that the reader can unfold. Returns an empty text
 * for a sample type without instructions.
 */
export function instructions({ sample_type: sample, method, fasting }: LabTest): string {
  if (!isSampleType(sample)) return '';
  const { ready, steps } =
    method === 'testkit' ? KIT[sample] : COLLECTED_BY_STAFF[method as Exclude<CollectionMethod, 'testkit'>];
  return [
    '<details><summary>How your sample is collected</summary>',
    paragraph(fasting ? FASTING : NO_FASTING),
    '<h3>Have ready</h3>',
    `<ul>${items(ready)}</ul>`,
    '<h3>Step by step</h3>',
    `<ol>${items(steps)}</ol>`,
    '<h3>If you feel unwell</h3>',
    paragraph(UNWELL),
    '</details>',
  ].join('\n');
}

const items = (texts: string[]): string => texts.map((text) => `<li>${escapeHtml(text)}</li>`).join('\n');
