import { createHash } from 'node:crypto';
import { notFound } from '../../errors.ts';
import { providerOrNull } from '../providers/provider-catalogue.ts';

/**
 * Draws a picture for a provider: the first letters of its name on a colour of our choice. We do not distribute the
 * companies' logos, which are trademarks. Throws not_found for an unknown slug.
 */
export function drawLogo(slug: string): string {
  const provider = providerOrNull(slug);
  if (!provider) throw notFound('Provider');
  const name = provider.name.replaceAll(/[^A-Za-z0-9 ]/g, '').split(' ');
  const letters = (name.length > 1 ? name.slice(0, 2).map((word) => word[0]) : [name[0]?.slice(0, 2)]).join('');
  const hue = ((createHash('sha256').update(slug).digest()[0] as number) * 360) >> 8;
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64" role="img">' +
    `<title>${provider.name.replaceAll('&', '&amp;')}</title>` +
    `<rect width="64" height="64" rx="14" fill="hsl(${hue},45%,35%)"/>` +
    '<text x="32" y="42" text-anchor="middle" font-family="system-ui,sans-serif" font-size="28" font-weight="600" ' +
    `fill="#fff">${letters}</text></svg>`
  );
}
