import { AppError, notFound } from '../../errors.ts';
import { providerOrNull, type Provider, type ProviderAuth } from '../providers.ts';

/**
 * Passwords and e-mail addresses of users are taken by no connector of this service: providers that ask for them allow no
 * other way in, and what stands between a person and a password should not be a program that keeps it.
 */
export function refuseForm(slug: string, kind: Extract<ProviderAuth, 'password' | 'email'>): never {
  const provider: Provider | null = providerOrNull(slug);
  if (!provider) throw notFound('Provider');
  const way = provider.auth_type === kind ? 'has no connector here' : `is not connected by ${kind}`;
  throw new AppError(
    'connector_not_available',
    `${provider.name} ${way}, and nothing of what was sent was kept. GET /v2/link/providers lists what can be connected.`,
  );
}
