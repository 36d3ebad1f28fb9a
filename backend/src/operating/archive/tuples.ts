/** What stands before the tuples of a binary COPY: its signature, no flags, no extension. */
export const COPY_HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
/** What stands behind them. */
export const COPY_TRAILER = Buffer.from([0xff, 0xff])

export interface Tuples {
  rows: number
  bytes: Buffer
}

/** Cuts a binary COPY into runs of whole tuples of at least `size` bytes, but for the last. Holds one run and one tuple. */
export async function* cutTuples(chunks: AsyncIterable<Buffer>, size: number): AsyncGenerator<Tuples> {
  let rest: Buffer = Buffer.alloc(0)
  let isOpened = false
  let run = { rows: 0, length: 0, parts: [] as Buffer[] }
  const taken = (): Tuples => ({ rows: run.rows, bytes: Buffer.concat(run.parts) })
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    if (!isOpened && rest.length < COPY_HEADER.length) continue
    if (!isOpened) rest = rest.subarray(COPY_HEADER.length)
    isOpened = true
    for (;;) {
      const { rows, end } = wholeTuples(rest, size - run.length)
      run.parts.push(rest.subarray(0, end))
      run = { ...run, rows: run.rows + rows, length: run.length + end }
      rest = rest.subarray(end)
      if (run.length < size) break
      yield taken()
      run = { rows: 0, length: 0, parts: [] }
    }
  }
  if (!rest.equals(COPY_TRAILER)) throw new Error('the database ended its output in the middle of a row')
  if (run.rows > 0) yield taken()
}

/** How many tuples stand whole at the start of the bytes, up to the first that ends at `enough` or behind it, and where that is. */
function wholeTuples(bytes: Buffer, enough: number): { rows: number; end: number } {
  let [rows, end] = [0, 0]
  while (end < enough) {
    const next = endOfTuple(bytes, end)
    if (next === undefined) break
    end = next
    rows += 1
  }
  return { rows, end }
}

/** Undefined where the tuple is not there whole, or the trailer stands in its place. */
function endOfTuple(bytes: Buffer, start: number): number | undefined {
  if (start + 2 > bytes.length) return undefined
  const fields = bytes.readInt16BE(start)
  if (fields < 0) return undefined
  let at = start + 2
  for (let field = 0; field < fields; field += 1) {
    if (at + 4 > bytes.length) return undefined
    // −1 is null, which has no bytes.
    at += 4 + Math.max(0, bytes.readInt32BE(at))
  }
  return at <= bytes.length ? at : undefined
}
