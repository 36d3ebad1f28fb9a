import { MAX_BLOCK_SAMPLES, type SampleColumns, valueAt } from './columns.ts'
import { readField } from './field.ts'
import { appendInstants, OpenBlock, readFieldCount } from './open.ts'
import { Rows } from './rows.ts'

/** A block and its first instant, ms. */
export interface TimedBlock {
  t0Ms: number
  block: Uint8Array
}

/**
 * All fields of blocks that follow each other in time as one: each is read to where its samples belong, so that nothing is copied.
 * What is given stands until the next call. Undefined where one begins before the end of another. Throws BlockError.
 */
export function joinBlocks(blocks: readonly TimedBlock[]): SampleColumns | undefined {
  const opened: OpenBlock[] = []
  const lengths: number[] = []
  let count = 0
  for (const { block, t0Ms } of blocks) {
    if (count > 0 && t0Ms <= valueAt(instants, count - 1)) return undefined
    const open = new OpenBlock(block)
    const length = appendInstants(open.cursor, t0Ms, instants, count)
    if (count + length > MAX_BLOCK_SAMPLES) return undefined
    opened.push(open)
    lengths.push(length)
    count += length
  }
  const rows = new Rows(count)
  let start = 0
  for (const [index, open] of opened.entries()) {
    const length = valueAt(lengths, index)
    readFields(open, rows, start, length)
    start += length
  }
  return { atMs: instants.subarray(0, count), ...rows.finish() }
}

const instants = new Float64Array(MAX_BLOCK_SAMPLES)

function readFields(open: OpenBlock, rows: Rows, start: number, length: number): void {
  const fieldCount = readFieldCount(open.cursor)
  let row = -1
  for (let index = 0; index < fieldCount; index++) {
    open.next()
    row = rows.open(open.id, row + 1, start, length)
    readField(open, rows.values, row * rows.count + start, length)
  }
  open.end()
}
