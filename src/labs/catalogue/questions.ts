import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import type { QuestionAnswer } from './schemas.ts';

/** A question that the laboratory asks with orders of a marker. */
export type MarkerQuestion = {
  id: number;
  marker_id: number;
  code: string;
  /** The text of the question. */
  value: string;
  type: 'choice' | 'text' | 'numeric' | 'multi_choice';
  required: boolean;
  answers: Static<typeof QuestionAnswer>[];
  answer_pattern: string | null;
  default_answer: string | null;
};

/** Returns all questions of the markers, in the order in which the laboratory asks them. */
export async function questionsOf(ctx: TeamCtx, markerIds: number[]): Promise<MarkerQuestion[]> {
  const { rows } = await sql<MarkerQuestion>`
    select id::float8 as id, marker_id, code, value, type, required, answers, answer_pattern, default_answer
      from marker_questions where marker_id = any (${markerIds}::int[]) order by marker_id, sequence, id`.execute(
    ctx.db,
  );
  return rows;
}
