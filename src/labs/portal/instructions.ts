import { escapeHtml } from '../../http/page.ts';
import { isSampleType, type LabTest } from '../catalogue/schemas.ts';
import { BY_SOMEBODY, FASTING, KIT, NO_FASTING, UNWELL } from '../documents/instructions/words.ts';
import type { CollectionMethod } from '../orders/status/table.ts';
import { paragraph } from './parts.ts';

/** How the sample is collected, to be opened; nothing for a sample that there are no words for. */
export function instructions({ sample_type: sample, method, fasting }: LabTest): string {
  if (!isSampleType(sample)) return '';
  const { ready, steps } =
    method === 'testkit' ? KIT[sample] : BY_SOMEBODY[method as Exclude<CollectionMethod, 'testkit'>];
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
