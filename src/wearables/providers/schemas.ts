import { Type } from 'typebox';
import { shape } from '../../wire/shape.ts';

/** A provider, in the form in which other objects of the API contain it. */
export const ProviderName = shape('ProviderName', { name: Type.String(), slug: Type.String(), logo: Type.String() });
