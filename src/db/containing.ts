/** The LIKE pattern of every text that has `part` inside. */
export const containing = (part: string): string => `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
