import { afterEach, expect, test, vi } from 'vitest';
import { openLog } from '../log.ts';
import { endOnFatalErrors } from './fatal-errors.ts';

afterEach(() => vi.restoreAllMocks());

test.each(['uncaughtException', 'unhandledRejection'])(
  'an uncaught error (%s) ends the process, and the log has its kind only',
  (event) => {
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    const listeners = new Map<string, (error: unknown) => void>();
    vi.spyOn(process, 'on').mockImplementation(((name: string, listener: never) => {
      listeners.set(name, listener);
      return process;
    }) as never);
    const lines: string[] = [];
    endOnFatalErrors(openLog('info', { write: (line) => lines.push(line) }));
    listeners.get(event)?.(Object.assign(new Error('Key (name)=(Grace Palmer) is there'), { code: '23505' }));
    expect(exit).toHaveBeenCalledWith(1);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] as string)).toMatchObject({ level: 60, err: { type: 'Error', code: '23505' } });
    expect(lines[0]).not.toContain('Grace');
    for (const code of ['ENOSPC', '53100']) listeners.get(event)?.(Object.assign(new Error('Grace'), { code }));
    for (const line of lines.slice(1)) expect((JSON.parse(line) as { msg: string }).msg).toMatch(/^a disk is full: /);
  },
);
