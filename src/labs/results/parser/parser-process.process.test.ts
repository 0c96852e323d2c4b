// The limits of the process that reads a file, with files and programs that exceed them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { inflateBomb, nestedStates } from '../../../../test/hostile-pdfs.ts';
import { endPrograms, makeFolder } from '../../../../test/program.ts';
import { REPORT_ROWS, reportPdf } from '../../../../test/sent-reports.ts';
import { PACKAGE_ROOT } from '../../../package-root.ts';
import { parsePdf } from './parser-process.ts';

afterEach(endPrograms);

const signal = new AbortController().signal;
async function* once(content: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield content;
}
/** Writes a program that replaces the program that reads PDFs. Returns its path. */
function programOf(source: string): string {
  const program = join(makeFolder(), 'stand-in.mjs');
  writeFileSync(program, source);
  return program;
}
const readBy = (source: string, maxMs = 30_000, cpuSeconds = 30) =>
  parsePdf(once(Buffer.from('%PDF-')), { signal, program: programOf(source), maxMs, cpuSeconds });

const CHILD = join(PACKAGE_ROOT, 'dist/src/labs/results/parser/parse/child.js');
const MIB = 1024 * 1024;

/**
 * Runs the real program. Returns its outcome, and the memory and processor time that it used until its output. The
 * program counts its own processor time `times` times, which brings the limit nearer.
 */
async function usedFor(content: Buffer, times = 1): Promise<{ outcome: string; residentMib: number; cpuMs: number }> {
  const path = join(makeFolder(), 'used.json');
  const program = programOf(`
    import { writeFileSync } from 'node:fs';
    const { cpuUsage } = process;
    process.cpuUsage = () => {
      const { user, system } = cpuUsage();
      return { user: user * ${times}, system: system * ${times} };
    };
    const end = process.stdout.end;
    process.stdout.end = function (...said) {
      const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
      const used = { resident: maxRSS * 1024, cpu: userCPUTime + systemCPUTime };
      writeFileSync(${JSON.stringify(path)}, JSON.stringify(used));
      return end.apply(this, said);
    };
    await import(${JSON.stringify(CHILD)});`);
  const outcome = await parsePdf(once(content), { signal, program, maxMs: 60_000 }).then(
    () => 'read',
    (error: Error) => error.message,
  );
  const { resident, cpu } = JSON.parse(readFileSync(path, 'utf8')) as { resident: number; cpu: number };
  return { outcome, residentMib: resident / MIB, cpuMs: cpu / 1_000 };
}

describe('a file that asks for too much', () => {
  test('of memory, by a page of a gigabyte in a file of kilobytes, is ended', async () => {
    const bomb = inflateBomb(2_048);
    expect(bomb.length).toBeLessThan(100_000);
    const { outcome, residentMib } = await usedFor(bomb);
    expect(outcome).toBe('processing_error');
    expect(residentMib).toBeLessThan(1_000);
  }, 60_000);

  test('of time, by nested drawing states, is ended', async () => {
    const times = 4;
    const { outcome, cpuMs } = await usedFor(nestedStates(20_000), times);
    expect(outcome).toBe('processing_error');
    expect(cpuMs * times).toBeLessThan(7_000);
  }, 60_000);
});

describe('a process', () => {
  test('that computes for ever is ended by its processor time, and does not exist afterwards', async () => {
    const path = join(makeFolder(), 'pid');
    const source = `import { writeFileSync } from 'node:fs';
      writeFileSync(${JSON.stringify(path)}, String(process.pid));
      for (;;);`;
    // The limit of elapsed time is longer than this test may last. Only the limit of processor time ends the program.
    await expect(readBy(source, 600_000, 1)).rejects.toThrow('processing_error');
    expect(() => process.kill(Number(readFileSync(path, 'utf8')), 0)).toThrow('ESRCH');
  }, 60_000);

  test('that waits for ever is ended by the clock, and does not exist when the error is thrown', async () => {
    const path = join(makeFolder(), 'pid');
    const source = `import { writeFileSync } from 'node:fs';
      writeFileSync(${JSON.stringify(path)}, String(process.pid));
      process.stdin.resume(); setInterval(() => undefined, 1_000);`;
    await expect(readBy(source, 2_000)).rejects.toThrow('processing_error');
    expect(() => process.kill(Number(readFileSync(path, 'utf8')), 0)).toThrow('ESRCH');
  });

  test.each([
    ['writes more than a report can be', "process.stdout.write('x'.repeat(5_000_000)); setInterval(() => 0, 1_000);"],
    ['writes something else than a report', `console.log('{"report":{"rows":[{"name":1}]}}');`],
    ['writes nothing', ''],
    ['is ended from outside', "process.kill(process.pid, 'SIGKILL');"],
  ])('that %s has read nothing', async (_what, source) => {
    await expect(readBy(source)).rejects.toThrow('processing_error');
  });

  const REPORT = {
    header: {
      patient_first_name: null,
      patient_last_name: null,
      dob: null,
      gender: null,
      lab_name: null,
      date_reported: null,
      date_collected: null,
      specimen_number: null,
    },
    rows: [],
    unread: 0,
    unread_lines: [],
  };
  test('that has written its report may end in any way, with its input unread', async () => {
    const source = `console.log(${JSON.stringify(JSON.stringify({ report: REPORT }))}); process.exit(3);`;
    expect(await readBy(source)).toEqual(REPORT);
  });

  test('has no environment variables of the service', async () => {
    const source =
      'const failed = Object.keys(process.env).length === 0 ? "invalid_input" : "no";' +
      'console.log(JSON.stringify({ failed }));';
    await expect(readBy(source)).rejects.toThrow('invalid_input');
  });

  test('reads the same report again and again, several at once', async () => {
    const content = await reportPdf({ rows: REPORT_ROWS });
    const reports = await Promise.all(Array.from({ length: 3 }, () => parsePdf(once(content), { signal })));
    expect(reports.map(({ rows }) => rows.length)).toEqual([5, 5, 5]);
  });
});
