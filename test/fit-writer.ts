// Writes FIT files, message by message, as devices do, with arrays, developer fields and chained files. The FIT profile
// (https://developer.garmin.com/fit) explains the numbers.

/** A field: its number, the code of its base type, and its value or values. */
type Field = [number: number, base: keyof typeof SIZES, value: number | number[] | string];
type Message = { global: number; fields: Field[]; developer?: [number: number, value: number][] };

const SIZES = {
  enum: [0x00, 1],
  uint8: [0x02, 1],
  string: [0x07, 1],
  byte: [0x0d, 1],
  sint16: [0x83, 2],
  uint16: [0x84, 2],
  uint32: [0x86, 4],
} as const;
const CRC = [
  0x0000, 0xcc01, 0xd801, 0x1400, 0xf001, 0x3c00, 0x2800, 0xe401, 0xa001, 0x6c00, 0x7800, 0xb401, 0x5000, 0x9c01,
  0x8801, 0x4400,
];

/** Seconds of FIT's own clock, which began on the last day of 1989. */
export const fitSecond = (time: string): number => (Date.parse(time) - Date.UTC(1989, 11, 31)) / 1_000;

/** One file of these messages. To chain files, concatenate them. Developer fields have one byte each. */
export function writeFit(messages: Message[]): Buffer {
  const body = Buffer.concat(messages.flatMap((message) => [definitionOf(message), dataOf(message)]));
  const header = Buffer.alloc(14);
  header.writeUInt8(14, 0);
  header.writeUInt8(0x20, 1);
  header.writeUInt16LE(2_140, 2);
  header.writeUInt32LE(body.length, 4);
  header.write('.FIT', 8, 'latin1');
  header.writeUInt16LE(checksumOf(header.subarray(0, 12)), 12);
  const end = Buffer.alloc(2);
  end.writeUInt16LE(checksumOf(Buffer.concat([header, body])));
  return Buffer.concat([header, body, end]);
}

const valuesOf = (value: Field[2]): number[] =>
  typeof value === 'string' ? [...Buffer.from(`${value}\0`)] : [value].flat();

function definitionOf({ global, fields, developer = [] }: Message): Buffer {
  const head = [developer.length > 0 ? 0x60 : 0x40, 0, 0, global & 0xff, global >> 8, fields.length];
  const own = fields.flatMap(([number, base, value]) => {
    const [code, size] = SIZES[base];
    return [number, valuesOf(value).length * size, code];
  });
  const others = developer.length === 0 ? [] : [developer.length, ...developer.flatMap(([number]) => [number, 1, 0])];
  return Buffer.from([...head, ...own, ...others]);
}

function dataOf({ fields, developer = [] }: Message): Buffer {
  const parts = fields.flatMap(([, base, value]) =>
    valuesOf(value).map((each) => {
      const part = Buffer.alloc(SIZES[base][1]);
      if (part.length === 1) part.writeUInt8(each);
      else if (part.length === 4) part.writeUInt32LE(each);
      else part.writeUInt16LE(each & 0xffff);
      return part;
    }),
  );
  return Buffer.concat([Buffer.from([0]), ...parts, Buffer.from(developer.map(([, value]) => value))]);
}

function checksumOf(bytes: Buffer): number {
  let sum = 0;
  for (const byte of bytes) {
    for (const half of [byte & 0xf, byte >> 4]) sum = (sum >> 4) ^ (CRC[sum & 0xf] as number) ^ (CRC[half] as number);
  }
  return sum;
}
