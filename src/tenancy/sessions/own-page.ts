/** Values of Sec-Fetch-Site of a form that our own page sent, or of a browser that does not send the header. */
const OWN_PAGE = new Set([null, 'same-origin', 'none']);

/**
 * Returns true unless the browser says that another site sent the form. Another site could sign a person in as somebody
 * else.
 *
 * @param sentFrom the header Sec-Fetch-Site
 */
export const isOwnPage = (sentFrom: string | null): boolean => OWN_PAGE.has(sentFrom);
