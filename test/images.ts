/** The first bytes of a PNG of this size. Nothing reads further. Their length needs no padding in base64. */
export function pngHead(width: number, height: number): Buffer {
  const head = Buffer.from('89504e470d0a1a0a0000000d49484452000000000000000008060000000000000000', 'hex').subarray(
    0,
    33,
  );
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
}

/** The first bytes of a JPEG of this size: start, an application segment, a frame header. */
export function jpegHead(width: number, height: number): Buffer {
  const frame = Buffer.from('ffc0001108000000000301110002110103110100', 'hex');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), frame]);
}
