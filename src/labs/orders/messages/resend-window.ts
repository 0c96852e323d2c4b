import type { ResendWindow } from '../../../context.ts';

export const isInWindow = (createdAt: string, { start_at, end_at }: ResendWindow): boolean =>
  start_at === null || end_at === null || (createdAt >= start_at && createdAt <= end_at);
