import type { ConnectedProvider } from '../connected-provider.ts';
import { connector } from './connect.ts';
import { importer } from './import.ts';
import { notifier } from './notify.ts';

/**
 * Its operator subscribes: a subscriber belongs to a project of Google Cloud and is made in its name, for which the
 * application's secret is not enough, and does not end.
 */
export const googleHealth: ConnectedProvider = { connector, importer, notifier };
