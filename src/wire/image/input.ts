import { Type } from 'typebox';
import { oneOf } from '../schema.ts';

/** About 300 kB of an image, in base64. */
const MOST_IMAGE_CHARACTERS = 400_000;

/** An image within a JSON body: its bytes are what its content_type says, and of bounded size. */
export const ImageInput = (description: string) =>
  Type.Object(
    {
      content: Type.String({
        minLength: 1,
        maxLength: MOST_IMAGE_CHARACTERS,
        pattern: '^[A-Za-z0-9+/]+={0,2}$',
        description: 'The image in base64.',
      }),
      content_type: oneOf(['image/jpeg', 'image/png'], { description: 'Its media type.' }),
    },
    { description, image: true },
  );
