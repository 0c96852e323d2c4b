import type { Static } from 'typebox';
import { AppError } from '../../../errors.ts';
import type { MarkerQuestion } from '../../catalogue/questions.ts';
import type { AoeAnswer } from '../schemas.ts';

type Answer = Static<typeof AoeAnswer>;
type AskedQuestion = Pick<MarkerQuestion, 'type' | 'answer_pattern'> & { answers: { code: string }[] };

/**
 * Checks a customer's answers to the laboratory's questions about the markers of an order, and returns them. If a
 * question has a default and no answer, the function adds the default. Throws aoe_question_unknown, aoe_answer_invalid
 * or aoe_answer_missing. Each error lists all problems of its kind.
 */
export function checkAnswers(questions: MarkerQuestion[], given: Answer[]): Answer[] {
  const questionOf = ({ marker_id, question_id }: Answer): MarkerQuestion | undefined =>
    questions.find((question) => question.marker_id === marker_id && question.id === question_id);
  const isGiven = (question: MarkerQuestion): boolean => given.some((answer) => questionOf(answer) === question);

  const unknown = given.filter((answer) => !questionOf(answer));
  if (unknown.length > 0) {
    throw new AppError(
      'aoe_question_unknown',
      `No marker of this order has ${listed(unknown.map((answer) => nameOf(answer.marker_id, answer.question_id)))}.`,
    );
  }
  const keys = given.map(({ marker_id, question_id }) => nameOf(marker_id, question_id));
  const twice = keys.filter((key, index) => keys.indexOf(key) !== index);
  const wrong = given.flatMap((answer) => {
    const question = questionOf(answer) as MarkerQuestion;
    const wanted = problemOfAnswer(question, answer.answer);
    return wanted === null ? [] : [`${nameOf(answer.marker_id, answer.question_id)} needs ${wanted}`];
  });
  if (wrong.length > 0 || twice.length > 0) {
    const all = [...wrong, ...twice.map((key) => `${key} is answered twice`)];
    throw new AppError('aoe_answer_invalid', `Some answers do not fit their questions: ${listed(all)}.`);
  }
  const missing = questions.filter(
    (question) => question.required && question.default_answer === null && !isGiven(question),
  );
  if (missing.length > 0) {
    throw new AppError(
      'aoe_answer_missing',
      `The laboratory needs answers to: ${listed(missing.map(({ marker_id, id }) => nameOf(marker_id, id)))}.`,
    );
  }
  const assumed = questions.filter((question) => question.default_answer !== null && !isGiven(question));
  return [
    ...given,
    ...assumed.map(({ marker_id, id, default_answer }) => ({
      marker_id,
      question_id: id,
      answer: default_answer as string,
    })),
  ];
}

/**
 * Returns null if the answer fits the question. Otherwise returns a text that says which form of answer the question
 * needs.
 */
export function problemOfAnswer({ type, answers, answer_pattern }: AskedQuestion, answer: string): string | null {
  const codes = answers.map(({ code }) => code);
  switch (type) {
    case 'choice':
      return codes.includes(answer) ? null : `one of the codes ${codes.join(', ')}`;
    case 'multi_choice':
      return answer.split(',').every((code) => codes.includes(code.trim()))
        ? null
        : `codes of ${codes.join(', ')} separated by commas`;
    case 'numeric':
      return /^-?\d{1,12}(\.\d{1,6})?$/.test(answer) ? null : 'a number';
    case 'text':
      return answer_pattern === null || new RegExp(answer_pattern).test(answer)
        ? null
        : `a text that matches ${answer_pattern}`;
  }
}

const nameOf = (markerId: number, questionId: number): string => `question ${questionId} of marker ${markerId}`;

const MAX_NAMED = 20;

const listed = (names: string[]): string => names.slice(0, MAX_NAMED).join('; ');
