import { to as copyTo } from 'pg-copy-streams'
import type { Pool } from './pool.ts'

/** The signature, flags and the length of an extension that there is not. */
const HEADER = 19
/** A field that is null has this length, the end of the rows this number of fields. */
const NONE = -1

/**
 * The rows of a statement as Postgres keeps them: each field in its own bytes, highest first, none of them null. The driver takes
 * bytes as text of twice the length, which for large rows costs both sides more than all else. The statement has no parameters; it
 * runs on a connection of its own and sees what is committed.
 */
export async function copyRows({ pg }: Pick<Pool, 'pg'>, text: string): Promise<Buffer[][]> {
  const client = await pg.connect()
  let isBroken = true
  try {
    const chunks: Buffer[] = []
    for await (const chunk of client.query(copyTo(`copy (${text}) to stdout (format binary)`))) chunks.push(chunk as Buffer)
    isBroken = false
    return rowsIn(Buffer.concat(chunks))
  } finally {
    client.release(isBroken)
  }
}

function rowsIn(bytes: Buffer): Buffer[][] {
  const rows: Buffer[][] = []
  let at = HEADER
  for (;;) {
    const count = bytes.readInt16BE(at)
    at += 2
    if (count === NONE) return rows
    const row: Buffer[] = []
    for (let field = 0; field < count; field += 1) {
      const start = at + 4
      at = start + bytes.readInt32BE(at)
      row.push(bytes.subarray(start, at))
    }
    rows.push(row)
  }
}
