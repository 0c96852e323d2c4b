import { Type } from 'typebox';
import { oneOf } from '../schema.ts';

/** The base64 of an image of 300 kB has this many characters. */
const MAX_IMAGE_CHARACTERS = 400_000;

/** An image in a JSON body. Its bytes must match its content_type, and it must not be too large. */
export const ImageInput = (description: string) =>
  Type.Object(
    {
      content: Type.String({
        minLength: 1,
        maxLength: MAX_IMAGE_CHARACTERS,
        pattern: '^[A-Za-z0-9+/]+={0,2}$',
        description: 'The image in base64.',
      }),
      content_type: oneOf(['image/jpeg', 'image/png'], { description: 'Its media type.' }),
    },
    { description, image: true },
  );
