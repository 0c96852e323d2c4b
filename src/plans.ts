/** The plans of organisations. The management API needs `scale`. */
export const PLANS = ['launch', 'grow', 'scale'] as const;

export type Plan = (typeof PLANS)[number];
