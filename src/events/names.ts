/**
 * The names that event types have or will have, as one pattern: an endpoint may subscribe to a type
 * before its first event exists, but a misspelt name is refused.
 */
export const EVENT_NAME_PATTERN = `^(${[
  'labtest\\.(order|appointment|match_review)\\.(created|updated)',
  'labtest\\.result\\.critical',
  'provider\\.connection\\.(created|error)',
  'provider\\.device\\.(created|updated)',
  'historical\\.data\\.[a-z0-9_]+\\.created',
  'daily\\.data\\.[a-z0-9_]+\\.(created|updated)',
  'lab_report\\.parsing_job\\.(created|updated)',
  'continuous_query\\.result_table\\.changed',
  'message\\.attempt\\.exhausted',
  'endpoint\\.disabled',
].join('|')})$`;
