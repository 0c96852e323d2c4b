import type { DeprecatedHeader } from './caller.ts';

const MANAGEMENT_HEADER = 'x-management-key';

/** What MANAGEMENT_HEADER has replaced. */
export const DEPRECATED_MANAGEMENT_HEADER: DeprecatedHeader = {
  name: 'x-service-org-key',
  since: '2025-01-01',
  documentation: '/docs#description/authentication',
};

/** Names of the management key's header, documented one first. */
export const MANAGEMENT_HEADERS = [MANAGEMENT_HEADER, DEPRECATED_MANAGEMENT_HEADER.name];

/** Names of the link token's header, documented one first. */
export const linkTokenHeaders = (headerPrefixes: string[]): string[] =>
  [...new Set(['x-service-', ...headerPrefixes])].map((prefix) => `${prefix}link-token`);

/** Names of the team key's header, documented one first. */
export const teamKeyHeaders = (headerPrefixes: string[]): string[] =>
  [...new Set(['x-service-', ...headerPrefixes])].map((prefix) => `${prefix}api-key`);
