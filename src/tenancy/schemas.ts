import { oneOf } from '../wire/schema.ts';

export const Environment = oneOf(['production', 'sandbox']);
export const Region = oneOf(['us', 'eu']);
