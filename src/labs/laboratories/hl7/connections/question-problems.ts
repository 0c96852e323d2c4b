import type { Laboratory } from '../../../catalogue/import/laboratory-file.ts';
import { problemOfAnswer } from '../../../orders/create/check-answers.ts';

type Question = NonNullable<Laboratory['markers'][number]['questions']>[number];

/** Finds problems in the questions of a file that the schema cannot find. Returns a line for each problem. */
export const questionProblems = (markers: Laboratory['markers']): string[] =>
  markers.flatMap(({ questions = [] }, marker) => {
    const codes = questions.map(({ code }) => code);
    return questions.flatMap((question, at) =>
      [
        ...(codes.indexOf(question.code) === at ? [] : ['has the same code as another question']),
        ...problemsOf(question),
      ].map((problem) => `/markers/${marker}/questions/${at} ${problem}.`),
    );
  });

function problemsOf({ type, answers = [], answer_pattern, default_answer }: Question): string[] {
  const hasChoice = type === 'choice' || type === 'multi_choice';
  if (hasChoice !== answers.length > 0) {
    return [hasChoice ? 'needs answers to choose from' : `has the type ${type}, which takes no answers`];
  }
  if (answer_pattern !== undefined && !isPattern(answer_pattern)) {
    return ['has an answer_pattern that is not a regular expression'];
  }
  if (default_answer === undefined) return [];
  const wanted = problemOfAnswer({ type, answers, answer_pattern: answer_pattern ?? null }, default_answer);
  return wanted === null ? [] : [`has a default_answer that is not ${wanted}`];
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}
