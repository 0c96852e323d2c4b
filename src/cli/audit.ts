import { once } from 'node:events';
import { exportAudit } from '../audit/export-audit.ts';
import { UsageError } from './command.ts';
import { withDatabaseServer } from './database.ts';

type AuditOptions = { from: string; to: string; org: string | undefined; team: string | undefined };

export function exportAuditCommand(asked: AuditOptions): Promise<number> {
  const { from, to } = asked;
  if (from > to) {
    throw new UsageError(`phial audit export takes a day from ${from} on as --to, not ${JSON.stringify(to)}.`);
  }
  return withDatabaseServer('audit export', async (databaseServer) => {
    for await (const lines of exportAudit(databaseServer.ownerUrl, asked)) {
      if (!process.stdout.write(lines)) await once(process.stdout, 'drain');
    }
    return 0;
  });
}
