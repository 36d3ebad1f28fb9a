import type { TableHead } from './format.ts'

/** Tables whose rows have numbers; other tables reference them in a column of the same name. */
export const NUMBERED = ['organization', 'server', 'monitor'] as const

/** How the rows of an organization are added to a database: ids stay, numbers are replaced. */
export interface Renumbering {
  /** Offsets that are added to the numbers of the file. */
  bases: Readonly<Record<(typeof NUMBERED)[number], number>>
  /** By the number in the file. Regions belong to the installation and are matched by id. */
  regions: Readonly<Record<string, number>>
  /** UUIDs of users that exist here already: their rows stay unchanged. */
  existingUsers: readonly string[]
}

/** Tables that describe the whole installation, or that are stored before the rows. */
const SKIPPED = new Set(['region', 'setting', 'metric_progress', 'check_progress'])
/** The column with the user id, in the tables of users. */
const OF_PEOPLE: Readonly<Record<string, string>> = {
  app_user: 'id',
  user_totp: 'user_id',
  recovery_code: 'user_id',
  passkey: 'user_id',
}

/** Replaces the numbers in tuples of a binary COPY. */
export function renumber({ name, columns, identity }: TableHead, tuples: Buffer, renumbering: Renumbering): Buffer {
  if (SKIPPED.has(name)) return Buffer.alloc(0)
  const { bases, regions, existingUsers } = renumbering
  const person = columns.indexOf(OF_PEOPLE[name] ?? '')
  const changes = columns.map((column) => {
    const base = bases[(column === identity?.column ? name : column) as keyof typeof bases]
    if (base !== undefined) return (number: number) => number + base
    return column === 'region' ? (number: number) => regions[String(number)] ?? missing(number) : undefined
  })
  const result = Buffer.from(tuples)
  const included: Buffer[] = []
  for (const { start, end, fields } of eachTuple(result)) {
    if (person >= 0 && existingUsers.includes(uuidOf(result, fields[person]))) continue
    for (const [index, change] of changes.entries()) {
      const field = fields[index]
      if (change && field) write(result, field, change(numberOf(result, field)))
    }
    included.push(result.subarray(start, end))
  }
  return Buffer.concat(included)
}

const missing = (region: number): never => {
  throw new Error(`a row names region ${region}, which the file does not have`)
}

/** The byte range of a field; undefined for null. */
type Field = { start: number; end: number } | undefined

function* eachTuple(tuples: Buffer): Generator<{ start: number; end: number; fields: Field[] }> {
  for (let start = 0, at = 0; start < tuples.length; start = at) {
    const fields: Field[] = []
    const count = tuples.readInt16BE(at)
    at += 2
    for (let index = 0; index < count; index += 1) {
      const length = tuples.readInt32BE(at)
      at += 4
      fields.push(length < 0 ? undefined : { start: at, end: at + length })
      at += Math.max(0, length)
    }
    yield { start, end: at, fields }
  }
}

function numberOf(bytes: Buffer, field: NonNullable<Field>): number {
  return field.end - field.start === 2 ? bytes.readInt16BE(field.start) : bytes.readInt32BE(field.start)
}

/** Throws where the number is greater than its column holds. */
function write(bytes: Buffer, field: NonNullable<Field>, number: number): void {
  if (field.end - field.start === 2) bytes.writeInt16BE(number, field.start)
  else bytes.writeInt32BE(number, field.start)
}

function uuidOf(bytes: Buffer, field: Field): string {
  const hex = field ? bytes.toString('hex', field.start, field.end) : ''
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** A row as it is read from a file, for the few that decide how the others are stored. */
export interface FileRow {
  text(column: string): string
  number(column: string): number
  uuid(column: string): string
}

export function* readRows({ columns }: TableHead, tuples: Buffer): Generator<FileRow> {
  for (const { fields } of eachTuple(tuples)) {
    const field = (column: string) => fields[columns.indexOf(column)]
    const given = (column: string) => field(column) ?? missingField(column)
    yield {
      text: (column) => tuples.toString('utf8', given(column).start, given(column).end),
      number: (column) => numberOf(tuples, given(column)),
      uuid: (column) => uuidOf(tuples, field(column)),
    }
  }
}

const missingField = (column: string): never => {
  throw new Error(`a row of the file has no ${column}`)
}
