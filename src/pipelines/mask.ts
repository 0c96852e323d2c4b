/** Responses show this text instead of a stored secret. */
export const MASK = '********';
