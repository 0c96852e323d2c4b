import { once } from 'node:events';
import { exportAudit } from '../audit/export.ts';
import { UsageError } from './command.ts';
import { withPlace } from './database.ts';

type Asked = { from: string; to: string; org: string | undefined; team: string | undefined };

export function exportAuditCommand(asked: Asked): Promise<number> {
  const { from, to } = asked;
  if (from > to) {
    throw new UsageError(`phial audit export takes a day from ${from} on as --to, not ${JSON.stringify(to)}.`);
  }
  return withPlace('audit export', async (place) => {
    for await (const lines of exportAudit(place.ownerUrl, asked)) {
      if (!process.stdout.write(lines)) await once(process.stdout, 'drain');
    }
    return 0;
  });
}
