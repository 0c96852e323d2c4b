import { repeat, segment, type Segment, type Value } from '@phial/hl7/message';
import type { LoadedOrder } from '../../../orders/load-order.ts';
import { ownProperty } from '../../../../wire/own-property.ts';

type Marker = NonNullable<LoadedOrder['labTest']['markers']>[number];
type Question = NonNullable<Marker['aoe']>['questions'][number];

/**
 * Writes the patient's answers to the laboratory's questions about a test, one OBX each, after the OBR of the test.
 * OBX-3 is the question and OBX-5 the answer. OBX-11 is `O`, because the OBX describes an order and is not a result. If
 * nobody asked the patient, for example with a kit, we send the default answers of the questions. If the laboratory has
 * since removed a question, we omit its answer.
 */
export function answerSegments(marker: Marker, { row }: LoadedOrder, text: (of: string) => string): Segment[] {
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
        2: ownProperty(TYPE, question.type) ?? 'ST',
        3: [text(question.code), text(question.value), 'L'],
        5: valueOf(question, answer, text),
        11: 'O',
      }),
    );
}

/** The data type in OBX-2 (HL7 table 0125) for each type of question: CWE is a code, NM a number, ST a text. */
const TYPE: Readonly<Record<string, string>> = { choice: 'CWE', multi_choice: 'CWE', numeric: 'NM', text: 'ST' };

function valueOf({ type, answers }: Question, answer: string, text: (of: string) => string): Value | Value[] {
  if (ownProperty(TYPE, type) !== 'CWE') return text(answer);
  const codes = type === 'multi_choice' ? answer.split(',').map((code) => code.trim()) : [answer];
  return repeat(
    codes.map((code) => [text(code), text(answers.find((each) => each.code === code)?.value ?? ''), 'L'] as Value),
  );
}
