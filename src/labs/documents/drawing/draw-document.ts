import type { LabTest } from '../../catalogue/schemas.ts';
import type { FoundResults } from '../../results/found-results.ts';
import { drawAbn } from '../abn.ts';
import type { OrderFacts, Sender } from '../facts.ts';
import { drawInstructions } from '../instructions/draw-instructions.ts';
import { drawLabels } from '../labels.ts';
import { drawRequisition } from '../draw-requisition.ts';
import { drawResultReport } from '../result-report.ts';

/**
 * The kind of a document, with all data that the drawing needs. It is plain data, because the process sends it to a
 * thread.
 */
export type Drawing =
  | { kind: 'requisition' | 'abn'; facts: OrderFacts }
  | { kind: 'labels'; facts: OrderFacts; count: number; collected: string }
  | { kind: 'result_report'; facts: OrderFacts; results: FoundResults }
  | { kind: 'instructions'; labTest: LabTest; sender: Sender; at: string; footer: string };

/** Draws a document. After each page it lets other work of the thread run. */
export async function draw(drawing: Drawing): Promise<Buffer> {
  switch (drawing.kind) {
    case 'requisition':
      return drawRequisition(drawing.facts);
    case 'abn':
      return drawAbn(drawing.facts);
    case 'labels':
      return drawLabels(drawing.facts, drawing);
    case 'result_report':
      return drawResultReport(drawing.facts, drawing.results);
    case 'instructions':
      return drawInstructions(drawing.labTest, drawing.sender, drawing);
  }
}
