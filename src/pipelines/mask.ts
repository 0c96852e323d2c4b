/** What stands in an answer where a secret is kept: secrets are taken and never shown. */
export const MASK = '********';
