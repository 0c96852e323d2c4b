import type { ConnectedProvider } from '../connected-provider.ts';
import { connector } from './connect.ts';
import { importer } from './import.ts';

export const dexcomV3: ConnectedProvider = { connector, importer };
