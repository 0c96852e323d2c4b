import type { MarkerQuestion } from '../catalogue/questions.ts';
import type { OrderFacts } from './facts.ts';
import { section, table, type Sheet } from './paper/sheet.ts';

/** Draws the laboratory's questions about the patient for these tests, with the answers in words. */
export async function drawAnswers(sheet: Sheet, { order, questions }: OrderFacts): Promise<void> {
  const { aoe_answers } = order.row;
  if (!aoe_answers || aoe_answers.length === 0) return;
  const nameOf = new Map(order.labTest.markers?.map(({ id, name }) => [id, name]));
  await section(sheet, 'Questions of the laboratory', 60);
  await table(
    sheet,
    [
      { title: 'Question', width: 6 },
      { title: 'Answer', width: 4 },
      { title: 'With', width: 3 },
    ],
    aoe_answers.map(({ marker_id, question_id, answer }) => {
      const question = questions.find((each) => each.marker_id === marker_id && each.id === question_id);
      const cells = [
        question?.value ?? `Question ${question_id}`,
        { text: answerInWords(question, answer), bold: true },
        nameOf.get(marker_id) ?? `Marker ${marker_id}`,
      ];
      return { cells };
    }),
  );
}

/** Replaces the codes in a choice answer by their words. A number or a text is printed as the client sent it. */
function answerInWords(question: MarkerQuestion | undefined, answer: string): string {
  const isOfCodes = question?.type === 'choice' || question?.type === 'multi_choice';
  if (!isOfCodes) return answer;
  return answer
    .split(',')
    .map((code) => question.answers.find((each) => each.code === code.trim())?.value ?? code.trim())
    .join(', ');
}
