import { closeSync, openSync, readSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { SourceFault, type SourceFiles } from '../../files.ts'
import { filesOfDump } from './files-of-dump.ts'
import { readPostgres } from './postgres.ts'
import { readSqlite, SQLITE_MAGIC } from './sqlite.ts'

const CHUNK_BYTES = 1_048_576
/** Of a row: those of calendars are long. */
const MAX_LINE_LENGTH = 67_108_864

/** What the files of Grafana OnCall's API would say, from its database: SQLite, or a dump of PostgreSQL as text. Throws SourceFault. */
export function readGrafanaDump(path: string): SourceFiles {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(16)
    readSync(file, start, 0, start.length, 0)
    const text = start.toString('latin1')
    if (text === SQLITE_MAGIC) return filesOfDump(readSqlite(path))
    if (text.startsWith('PGDMP'))
      throw new SourceFault(`${path}: is a dump of another format: make it text, as "pg_restore --no-owner -f dump.sql" does`)
    if (text.startsWith('\u001f\u008b')) throw new SourceFault(`${path}: is compressed: unpack it first`)
    return filesOfDump(readPostgres(linesOf(file, path), path))
  } finally {
    closeSync(file)
  }
}

/** The lines of a file that may be larger than the memory; the position of the file moves on. */
function* linesOf(file: number, path: string): Generator<string> {
  const decoder = new StringDecoder('utf8')
  const chunk = Buffer.alloc(CHUNK_BYTES)
  let rest = ''
  let position = 0
  for (let read = 1; read > 0; ) {
    read = readSync(file, chunk, 0, CHUNK_BYTES, position)
    position += read
    const lines = (rest + decoder.write(chunk.subarray(0, read))).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE_LENGTH) throw new SourceFault(`${path}: has a line of more than ${MAX_LINE_LENGTH} characters`)
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  if (rest !== '') yield rest
}
