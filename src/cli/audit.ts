import { once } from 'node:events';
import { exportAudit } from '../audit/export.ts';
import { isUuid } from '../ids.ts';
import { UsageError } from './command.ts';
import { withPlace } from './database.ts';

type Asked = { from: string; to: string; org: string | undefined; team: string | undefined };

export function exportAuditCommand(asked: Asked): Promise<number> {
  for (const name of ['from', 'to'] as const) {
    if (!isDay(asked[name])) throw new UsageError(`--${name} is a day, as 2026-01-31.`);
  }
  for (const name of ['org', 'team'] as const) {
    if (asked[name] !== undefined && !isUuid(asked[name])) throw new UsageError(`--${name} is an id.`);
  }
  return withPlace('audit export', async (place) => {
    for await (const lines of exportAudit(place.ownerUrl, asked)) {
      if (!process.stdout.write(lines)) await once(process.stdout, 'drain');
    }
    return 0;
  });
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;
