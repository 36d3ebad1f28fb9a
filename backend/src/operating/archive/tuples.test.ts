import { describe, expect, it } from 'vitest'
import { COPY_HEADER, COPY_TRAILER, cutTuples, type Tuples } from './tuples.ts'

function tuple(...fields: (string | null)[]): Buffer {
  const parts = fields.map((field) => {
    const head = Buffer.alloc(4)
    head.writeInt32BE(field === null ? -1 : field.length)
    return Buffer.concat([head, Buffer.from(field ?? '')])
  })
  const count = Buffer.alloc(2)
  count.writeInt16BE(fields.length)
  return Buffer.concat([count, ...parts])
}

async function collect<T>(given: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of given) all.push(one)
  return all
}

async function cut(bytes: Buffer, chunk: number, size: number): Promise<Tuples[]> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk)
  }
  return collect(cutTuples(chunks(), size))
}

const TUPLES = [tuple('a', null, 'ccc'), tuple(''), tuple(null, null), tuple('x'.repeat(50)), tuple()]
const copy = (...tuples: Buffer[]) => Buffer.concat([COPY_HEADER, ...tuples, COPY_TRAILER])

describe('cutTuples', () => {
  it('cuts only between rows, regardless of where the chunks end', async () => {
    for (let chunk = 1; chunk < 40; chunk += 1) {
      const runs = await cut(copy(...TUPLES), chunk, 10)
      expect(Buffer.concat(runs.map(({ bytes }) => bytes))).toEqual(Buffer.concat(TUPLES))
      expect(runs.reduce((sum, { rows }) => sum + rows, 0)).toBe(TUPLES.length)
      // A run ends with the first row that makes it long enough.
      expect(runs.map(({ rows }) => rows)).toEqual([1, 2, 1, 1])
      for (const { rows, bytes } of runs) expect((await cut(copy(bytes), 7, 1_000_000))[0]).toMatchObject({ rows })
    }
  })

  it('yields nothing for a table without rows', async () => expect(await cut(copy(), 3, 10)).toEqual([]))

  it('throws when the data ends within a row', async () => {
    const whole = copy(...TUPLES)
    await expect(cut(whole.subarray(0, -3), 8, 10)).rejects.toThrow(/in the middle of a row/)
    await expect(cut(whole.subarray(0, -2), 8, 10)).rejects.toThrow(/in the middle of a row/)
  })
})
