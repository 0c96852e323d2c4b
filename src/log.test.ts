import { expect, test } from 'vitest';
import { openLog } from './log.ts';

function linesOf(write: (log: ReturnType<typeof openLog>) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  write(openLog('info', { write: (line) => lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('personal data and secrets are not in a line, at its top level or one level below', () => {
  const [line] = linesOf((log) =>
    log.info(
      { dob: '1988-04-12', team_id: 't1', patient: { first_name: 'Grace', id: 'p1' }, secret: 'whsec_x' },
      'an event',
    ),
  );
  expect(line).toEqual({ level: 30, time: expect.any(String), team_id: 't1', patient: { id: 'p1' }, msg: 'an event' });
});

test('a message that looks like a stack frame is not logged as one', () => {
  const error = new Error('no row\n    at Grace Palmer\n    at Grace (/street/7:1:1)');
  const [line] = linesOf((log) => log.error({ err: error }, 'unexpected error'));
  expect(JSON.stringify(line)).not.toContain('Grace');
  expect(line?.['err']).toMatchObject({ stack: expect.stringContaining('log.test.ts') });
});

test('the kind and location of an error are logged, and not its message or detail, which can quote a row', () => {
  const error = Object.assign(new Error('duplicate key (Grace Palmer)'), {
    code: '23505',
    detail: 'Key (name)=(Grace Palmer)',
  });
  const lines = linesOf((log) => log.error({ err: error }, 'unexpected error'));
  expect(lines[0]?.['err']).toMatchObject({ type: 'Error', code: '23505', stack: expect.stringContaining('at ') });
  expect(JSON.stringify(lines)).not.toContain('Grace');
});
