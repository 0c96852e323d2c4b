/** The header that replaced it is X-Management-Key. */
export const DEPRECATED_MANAGEMENT_HEADER = 'x-service-org-key';
export const MANAGEMENT_HEADER = 'x-management-key';

/** Names of the management key's header, documented one first. */
export const MANAGEMENT_HEADERS = [MANAGEMENT_HEADER, DEPRECATED_MANAGEMENT_HEADER];

/** Names of the team key's header, documented one first. */
export const teamKeyHeaders = (headerPrefixes: string[]): string[] =>
  [...new Set(['x-service-', ...headerPrefixes])].map((prefix) => `${prefix}api-key`);
