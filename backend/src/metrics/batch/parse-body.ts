import { randomBytes } from '../../platform/random.ts'
import { isFields } from './faults.ts'
import { type ScannedColumns, scanColumns } from './scan-columns.ts'

/** What can stand nowhere but where a key does: inside of a text each of its quotes had a backslash before it. */
const COLUMNS = Buffer.from('"columns":{"at_ms":[')
const OBJECT_AT = COLUMNS.indexOf('{')

/** Stands for columns that were cut out, with their number. Nobody can send it. */
const MARK = randomBytes(16).toString('hex')

/**
 * As JSON.parse does with the bytes from `start` on, but columns in the form that our agents write are read straight into what the door
 * takes. `parsePush` makes the same of both. Throws SyntaxError.
 */
export function parsePushBody(bytes: Buffer, start: number): unknown {
  const cut: ScannedColumns[] = []
  let rest = ''
  let from = start
  for (let found = bytes.indexOf(COLUMNS, from); found >= 0; found = bytes.indexOf(COLUMNS, from)) {
    const scan = scanColumns(bytes, found + COLUMNS.length)
    if (!scan) return JSON.parse(bytes.toString('utf8', start))
    rest += `${bytes.toString('utf8', from, found + OBJECT_AT)}"${MARK}${cut.length}"`
    cut.push(scan.columns)
    from = scan.end
  }
  const body: unknown = JSON.parse(rest + bytes.toString('utf8', from))
  if (isFields(body)) putBack(body, cut)
  return body
}

/** Columns have a meaning in a batch alone: elsewhere they are ignored, and so is what stands for them. */
function putBack(body: Readonly<Record<string, unknown>>, cut: readonly ScannedColumns[]): void {
  const { batches } = body
  for (const batch of Array.isArray(batches) ? [body, ...(batches as unknown[])] : [body]) {
    if (!isFields(batch)) continue
    const { columns } = batch
    if (typeof columns === 'string' && columns.startsWith(MARK))
      (batch as { columns: unknown }).columns = cut[Number(columns.slice(MARK.length))]
  }
}
