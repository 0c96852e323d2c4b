import type pg from 'pg';
import type { QuestionInFile } from './laboratory-file.ts';

/**
 * Replaces a marker's questions by those in the laboratory's file. It runs in a transaction of the database owner,
 * which has locked the table of questions. If the file lacks a stored question, the question is deleted. A question
 * with the same code keeps its id, because orders store their answers by that id.
 */
export async function importQuestions(
  owner: Pick<pg.Client, 'query'>,
  markerId: number,
  questions: QuestionInFile[],
): Promise<void> {
  await owner.query('delete from marker_questions where marker_id = $1 and code <> all ($2::text[])', [
    markerId,
    questions.map(({ code }) => code),
  ]);
  for (const [at, question] of questions.entries()) {
    const { answers = [], required = false, answer_pattern = null, default_answer = null } = question;
    const values = [
      markerId,
      question.code,
      question.value,
      question.type,
      required,
      at + 1,
      JSON.stringify(answers.map((answer, index) => ({ id: index + 1, ...answer }))),
      answer_pattern,
      default_answer,
    ];
    const { rowCount } = await owner.query(
      `update marker_questions set value = $3, type = $4, required = $5, sequence = $6, answers = $7,
         answer_pattern = $8, default_answer = $9
       where marker_id = $1 and code = $2`,
      values,
    );
    if (rowCount) continue;
    await owner.query(
      `insert into marker_questions (id, marker_id, code, value, type, required, sequence, answers, answer_pattern,
         default_answer)
       values (nextval('marker_question_ids'), $1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      values,
    );
  }
}
