import { repeat, segment, type Segment, type Value } from '@phial/hl7/message';
import type { LoadedOrder } from '../../../orders/load.ts';
import { ownOf } from '../../../../wire/own.ts';

type Marker = NonNullable<LoadedOrder['labTest']['markers']>[number];
type Question = NonNullable<Marker['aoe']>['questions'][number];

/**
 * What the laboratory asks with a test, as an OBX each after its OBR: the question in OBX-3, the answer in OBX-5, and O in
 * OBX-11, since it describes an order and is no result. Of an order for which nobody was asked, as a kit's, the answers that
 * the questions have by themselves are sent; an answer whose question the laboratory no longer asks is left out.
 */
export function answersTo(marker: Marker, { row }: LoadedOrder, text: (of: string) => string): Segment[] {
  const given = (row.aoe_answers ?? []).filter(({ marker_id }) => marker_id === marker.id);
  return (marker.aoe?.questions ?? [])
    .map((question) => ({
      question,
      answer: given.find(({ question_id }) => question_id === question.id)?.answer ?? question.default,
    }))
    .filter((each): each is { question: Question; answer: string } => each.answer !== null)
    .map(({ question, answer }, at) =>
      segment('OBX', {
        1: String(at + 1),
        2: ownOf(TYPE, question.type) ?? 'ST',
        3: [text(question.code), text(question.value), 'L'],
        5: valueOf(question, answer, text),
        11: 'O',
      }),
    );
}

/** HL7 table 0125. */
const TYPE: Readonly<Record<string, string>> = { choice: 'CWE', multi_choice: 'CWE', numeric: 'NM', text: 'ST' };

function valueOf({ type, answers }: Question, answer: string, text: (of: string) => string): Value | Value[] {
  if (ownOf(TYPE, type) !== 'CWE') return text(answer);
  const codes = type === 'multi_choice' ? answer.split(',').map((code) => code.trim()) : [answer];
  return repeat(
    codes.map((code) => [text(code), text(answers.find((each) => each.code === code)?.value ?? ''), 'L'] as Value),
  );
}
