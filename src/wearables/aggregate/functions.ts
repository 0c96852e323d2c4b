/** The functions that compute one value from all values of a group. */
export const FUNCTIONS = ['min', 'max', 'mean', 'sum', 'count', 'median', 'stddev', 'oldest', 'newest'] as const;

export type Func = (typeof FUNCTIONS)[number];
