import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { decode, encode } from './encoding.ts';
import { escape, unescape, USUAL } from './escape.ts';
import { linesWithEnds } from './lines-with-ends.ts';
import { Hl7Error, repeat, segment, segmentOf, textAt, textsAt, type Hl7Warning, type Message } from './message.ts';
import { parse, parseHeader } from './parse.ts';
import { write } from './write.ts';

/** Any text that a message can carry: letters of every script, every delimiter and line ends, but no other controls. */
const text = fc
  .string({ unit: fc.oneof(fc.constantFrom(...'|^~\\&\n.brFSTREX0'), fc.string({ unit: 'grapheme', maxLength: 1 })) })
  .map((value) => value.replaceAll(/(?!\n)\p{Cc}/gu, ''));
const visible = text.filter((value) => value !== '');

/** Parts of which the last one is not empty, as the parser returns them. */
const parts = <T>(part: fc.Arbitrary<T>, last: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<T[]> =>
  fc.tuple(fc.array(part, { maxLength }), last).map(([before, end]) => [...before, end]);
const component = parts(text, visible, 2);
const repetition = parts(fc.oneof(fc.constant<string[]>([]), component), component, 3);
const field = fc.array(repetition, { minLength: 1, maxLength: 3 });
const someSegment = fc
  .tuple(
    fc.constantFrom('PID', 'OBX', 'NTE', 'ZZ1'),
    fc.array(fc.oneof(fc.constant<string[][][]>([]), field), { maxLength: 6 }),
    field,
  )
  .map(([name, fields, last]) => ({ name, fields: [[], ...fields, last] }));
const header = field.map((last) => ({ name: 'MSH', fields: [[], [[['|']]], [[['^~\\&']]], [], last] }));
const message: fc.Arbitrary<Message> = fc
  .tuple(header, fc.array(someSegment, { maxLength: 8 }))
  .map(([first, rest]) => [first, ...rest]);

describe('written text is read back', () => {
  test('as the same message, for any texts', () => {
    fc.assert(
      fc.property(message, (value) => {
        expect(parse(write(value))).toEqual(value);
      }),
    );
  });

  test('as the same text, with usual and unusual delimiters', () => {
    const delimiters = { field: '#', component: '@', repetition: '!', escape: '%', sub: '$' };
    fc.assert(
      fc.property(text, (value) => {
        expect(unescape(escape(value, USUAL), USUAL)).toBe(value);
        expect(unescape(escape(value, delimiters), delimiters)).toBe(value);
      }),
    );
  });
});

describe('a text', () => {
  test('never ends its segment, because controls are dropped', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const written = write([segment('MSH', { 1: '|', 2: '^~\\&' }), segment('NTE', { 3: value })]);
        expect(written.split('\r').length).toBe(3);
        expect(written.replaceAll('\r', '')).not.toMatch(/\p{Cc}/u);
      }),
    );
  });

  test.each([
    ['A \\T\\ B', 'A & B'],
    ['\\X41\\\\X42\\', 'AB'],
    ['\\H\\high\\N\\', 'high'],
    ['one\\.br\\two', 'one\ntwo'],
    ['\\XC3BC\\', 'ü'],
    ['\\XFC\\', 'ü'],
    ['one\\X0D0A\\two', 'one\ntwo'],
    ['one\\.sp\\two', 'one\ntwo'],
    ['one\\.sp 2\\two', 'one\n\ntwo'],
    ['one\\.sp+2\\two', 'one\n\ntwo'],
    ['one\\.sk 3\\two', 'one   two'],
    ['\\.in+4\\\\.ti-4\\one\\.ce\\two\\.nf\\\\.fi\\', 'one\ntwo'],
  ])('%j means %j', (written, meant) => {
    const unknown = vi.fn<() => void>();
    expect(unescape(written, USUAL, unknown)).toBe(meant);
    expect(unknown).not.toHaveBeenCalled();
  });

  test.each([
    ['and\\or', 'and\\or'],
    ['C:\\temp', 'C:\\temp'],
    ['C:\\temp\\new', 'C:\\temp\\new'],
    ['\\Z01\\', '\\Z01\\'],
    ['\\Q\\', '\\Q\\'],
    ['\\X4\\', '\\X4\\'],
    ['\\C2842\\', '\\C2842\\'],
    ['\\.xy\\', '\\.xy\\'],
    ['5 \\ 6', '5 \\ 6'],
    ['and\\or\\T\\', 'and\\or&'],
    ['a\\', 'a\\'],
  ])('%j holds no escape sequence of the standard and is read as %j with a warning', (written, meant) => {
    const unknown = vi.fn<() => void>();
    expect(unescape(written, USUAL, unknown)).toBe(meant);
    expect(unknown).toHaveBeenCalled();
  });
});

describe('a message', () => {
  test('is read with repetitions, components and sub-components', () => {
    const [first, observation] = parse('MSH|^~\\&|LAB|FAC&OID||\rOBX|1|SN|A^b&c^LN||>^500|u|||H~HH|""\r');
    expect([textAt(first, 3), textAt(first, 4, { sub: 2 })]).toEqual(['LAB', 'OID']);
    expect(textAt(observation, 3, { component: 2, sub: 2 })).toBe('c');
    expect(textsAt(observation, 9)).toEqual(['H', 'HH']);
    expect([textAt(observation, 10), textAt(observation, 99)]).toEqual(['', '']);
  });

  test('is written with repetitions for an array that `repeat` marks, and with components for other arrays', () => {
    expect(write([segment('MSH', { 1: '', 2: '', 3: 'A' }), segment('PID', { 3: repeat([['1', '2'], '3']) })])).toBe(
      'MSH|^~\\&|A\rPID|||1^2~3\r',
    );
  });

  test.each([
    ['nothing', '', 'no_header'],
    ['no header', 'PID|1', 'no_header'],
    ['a header alone', 'MSH', 'bad_delimiters'],
    ['one delimiter for all', 'MSH|^^^^|', 'bad_delimiters'],
    ['letters as delimiters', 'MSHabcde|', 'bad_delimiters'],
    ['a line that is no segment', 'MSH|^~\\&|A\rnonsense', 'bad_segment'],
    ['a second header', 'MSH|^~\\&|A\rMSH|^~\\&|B', 'bad_segment'],
    ['too many fields', `MSH|^~\\&|A\rOBX${'|'.repeat(300)}`, 'too_large'],
    ['too many repetitions', `MSH|^~\\&|A\rOBX|${'~'.repeat(2_000)}`, 'too_large'],
    ['too many parts in all', `MSH|^~\\&|A\r${`OBX|${'&^'.repeat(90)}\r`.repeat(1_200)}`, 'too_large'],
    ['too many segments', `MSH|^~\\&|A\r${'OBX|1\r'.repeat(20_001)}`, 'too_large'],
  ])('with %s is refused', (_, written, code) => {
    expect(() => parse(written)).toThrow(expect.objectContaining({ code }));
  });

  test('that was cut or has random bytes in it is either read or refused with Hl7Error', () => {
    const whole = write(parse('MSH|^~\\&|LAB|F|||2026||ORU^R01|1|P|2.5.1\rPID|1||7\\T\\^^^A\rOBX|1|NM|X||5\r'));
    fc.assert(
      fc.property(
        fc.nat(whole.length),
        fc.nat(whole.length),
        fc.string({ unit: 'binary', maxLength: 20 }),
        (a, b, rubbish) => {
          const text = whole.slice(0, a) + rubbish + whole.slice(b);
          expect(() => parseHeader(text)).not.toThrow();
          try {
            parse(text);
          } catch (error) {
            expect(error).toBeInstanceOf(Hl7Error);
          }
        },
      ),
    );
  });
});

test('if segments end with CR, an LF ends a segment only when a new segment follows it', () => {
  const warnings = new Set<Hl7Warning>();
  const read = parse('MSH|^~\\&|LAB|F\rNTE|1||one\ntwo\nthree\rOBX|1\nNTE|2||four\r', warnings);
  expect(read.map(({ name }) => name)).toEqual(['MSH', 'NTE', 'OBX', 'NTE']);
  expect(textAt(read[1], 3)).toBe('one\ntwo\nthree');
  expect([...warnings]).toEqual(['line_continued']);
});

describe('the bytes of a message', () => {
  const bytes = (charset: string, name: string, as: 'utf8' | 'latin1'): Buffer =>
    Buffer.from(`MSH|^~\\&|A||||||ORU|1|P|2.5.1||||||${charset}\rPID|||||${name}\r`, as);

  test('are decoded as the message states, or else as its sender writes', () => {
    for (const [charset, as] of [
      ['UNICODE UTF-8', 'utf8'],
      ['8859/1', 'latin1'],
    ] as const) {
      expect(textAt(segmentOf(parse(decode(bytes(charset, 'Müller', as), 'ASCII')), 'PID'), 5)).toBe('Müller');
    }
    expect(decode(bytes('', 'Müller', 'latin1'), 'ISO-8859-1')).toContain('Müller');
    expect(decode(Buffer.from('MSH|^~\\&|A|||||||||||||||8859/1\r\x93q\x94', 'latin1'), 'UTF-8')).toContain('“q”');
    expect(decode(encode('Müller', 'ISO-8859-1'), 'ISO-8859-1')).toBe('Müller');
  });

  test('are decoded as UTF-8 or else Latin-1 if neither the message nor its sender names an encoding', () => {
    const warnings = new Set<Hl7Warning>();
    expect(decode(bytes('', 'Müller', 'utf8'), undefined, warnings)).toContain('Müller');
    expect([...warnings]).toEqual([]);
    expect(decode(bytes('', 'Müller', 'latin1'), undefined, warnings)).toContain('Müller');
    expect([...warnings]).toEqual(['read_as_latin_1']);
    expect(() => decode(bytes('', 'Müller', 'latin1'), 'UTF-8')).toThrow(Hl7Error);
  });

  test.each([
    ['UNICODE UTF-8', 'latin1'],
    ['ASCII', 'utf8'],
    ['ISO IR87', 'utf8'],
  ] as const)('that are not %s are refused', (charset, as) => {
    expect(() => decode(bytes(charset, 'Müller', as), 'UTF-8')).toThrow(
      expect.objectContaining({ code: 'wrong_encoding' }),
    );
  });
});

test.each([
  ['', []],
  ['A', ['A']],
  ['A\rB\nC\r\nD', ['A\r', 'B\n', 'C\r\n', 'D']],
  ['\r\r\n\n\rA\r', ['\r', '\r\n', '\n', '\r', 'A\r']],
])('the lines of %j keep their line ends', (text, lines) => {
  expect(linesWithEnds(text)).toEqual(lines);
});
