/**
 * The closed betas. In production the operator opens each of them to single teams. In a sandbox every team has all of
 * them.
 */
export const BETAS = ['continuous_queries', 'etl_pipelines', 'lab_report_parser'] as const;

export type Beta = (typeof BETAS)[number];
