export const SESSION_BODIES: Readonly<Record<string, unknown>> = {
  use_sign_in_link: {},
  request_sign_in_link: { email: 'grace@example.com' },
};
