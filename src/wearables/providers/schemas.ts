import { Type } from 'typebox';

/** A provider, as others name it. */
export const ProviderName = Type.Object({ name: Type.String(), slug: Type.String(), logo: Type.String() });
