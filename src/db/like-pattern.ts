/** Returns the LIKE pattern that matches every text with `part` in it. */
export const containing = (part: string): string => `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
