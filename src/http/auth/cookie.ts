/**
 * Returns the value of the first cookie with this name, or null. Browsers send the cookie with the longest path first
 * (RFC 6265 5.4).
 *
 * @param header the Cookie header of a request
 */
export function cookieOf(header: string | undefined, name: string): string | null {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}
