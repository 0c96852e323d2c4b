export const DOMAIN_BODIES: Readonly<Record<string, unknown>> = {
  create_domain: { domain: 'example.com' },
  send_domain_instructions: { to_email: 'dns@example.com' },
};
