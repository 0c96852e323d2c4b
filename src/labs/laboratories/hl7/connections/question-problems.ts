import type { Laboratory } from '../../../catalogue/import/laboratory-file.ts';
import { whatIsWrong } from '../../../orders/create/answers.ts';

type Question = NonNullable<Laboratory['markers'][number]['questions']>[number];

/** What is wrong with the questions of a file beyond their shapes, a line each. */
export const questionProblems = (markers: Laboratory['markers']): string[] =>
  markers.flatMap(({ questions = [] }, marker) => {
    const codes = questions.map(({ code }) => code);
    return questions.flatMap((question, at) =>
      [...(codes.indexOf(question.code) === at ? [] : ['has the code of another']), ...problemsOf(question)].map(
        (problem) => `/markers/${marker}/questions/${at} ${problem}.`,
      ),
    );
  });

function problemsOf({ type, answers = [], answer_pattern, default_answer }: Question): string[] {
  const hasChoice = type === 'choice' || type === 'multi_choice';
  if (hasChoice !== answers.length > 0) {
    return [hasChoice ? 'needs the answers that can be chosen' : `is of the type ${type}, which has no answers`];
  }
  if (answer_pattern !== undefined && !isPattern(answer_pattern)) {
    return ['has an answer_pattern that is no regular expression'];
  }
  if (default_answer === undefined) return [];
  const wanted = whatIsWrong({ type, answers, answer_pattern: answer_pattern ?? null }, default_answer);
  return wanted === null ? [] : [`has a default_answer that is not ${wanted}`];
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}
