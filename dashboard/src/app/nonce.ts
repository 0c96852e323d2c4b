/**
 * The nonce of this response. The policy of the page lets style elements in by it: Mantine writes the rules of its
 * theme and of its layout into such elements.
 */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// The part that stops the page from scrolling behind a dialogue looks here.
Object.assign(globalThis, { __webpack_nonce__: nonce });
