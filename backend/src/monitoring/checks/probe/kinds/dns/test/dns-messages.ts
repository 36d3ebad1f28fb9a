/** Parts of DNS messages for tests, written apart from the code that they test. */

export const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .split('.')
      .filter((label) => label !== '')
      .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ])

export function record(owner: Buffer, type: number, data: Buffer, ttl = 300): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(ttl, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, fixed, data])
}

/** A pointer to the name of the question. */
export const QUESTION_NAME = Buffer.from([0xc0, 12])
const END_OF_NAME = /\0/

/** An answer that repeats id and question of the query. `flags` are added to those of a response. */
export function replyTo(query: Buffer, records: readonly Buffer[], flags = 0): Buffer {
  const end = 12 + query.subarray(12).toString('latin1').search(END_OF_NAME) + 5
  const head = Buffer.from(query.subarray(0, end))
  head.writeUInt16BE(0x8180 | flags, 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt16BE(0, 10)
  return Buffer.concat([head, ...records])
}
