import type { TableHead } from './format.ts'

/** Tables whose rows have numbers; other tables reference them in a column of the same name. */
export const NUMBERED = ['organization', 'server', 'monitor'] as const

/** What the rows of a file are rows of: they may name nothing else. */
export interface Contained {
  /** Number in the file. */
  organization: number
  /** Last numbers in the file. */
  last: Readonly<Record<'server' | 'monitor', number>>
  /** By the number in the file. Regions belong to the installation and are matched by id. */
  regions: Readonly<Record<string, number>>
  /** UUIDs of users. */
  people: readonly string[]
  /** UUIDs of identity providers. */
  providers: readonly string[]
}

/** How the rows of an organization are added to a database: ids stay, numbers are replaced. */
export interface Renumbering extends Contained {
  /** Offsets that are added to the numbers of the file. */
  bases: Readonly<Record<(typeof NUMBERED)[number], number>>
  /** UUIDs of users that exist here already: their rows stay unchanged. */
  existingUsers: readonly string[]
  /** When the import began, ms. */
  atMs: number
}

/** Tables that describe the whole installation, or that are stored before the rows. */
const SKIPPED = new Set(['region', 'setting', 'metric_progress', 'check_progress'])
/** The column with the user id, in the tables of users. */
const OF_PEOPLE: Readonly<Record<string, string>> = {
  app_user: 'id',
  user_totp: 'user_id',
  recovery_code: 'user_id',
  passkey: 'user_id',
  user_identity: 'user_id',
}

/**
 * Replaces the numbers in tuples of a binary COPY, and what the file must not decide: nobody's e-mail is verified and no domain of a
 * provider proved, no invitation was mailed, and who exists here already has joined now. Throws where a row names what the file does not contain.
 */
export function renumber({ name, columns, identity }: TableHead, tuples: Buffer, renumbering: Renumbering): Buffer {
  if (SKIPPED.has(name)) return Buffer.alloc(0)
  const { existingUsers, atMs } = renumbering
  const known = new Set(existingUsers)
  const exists = (bytes: Buffer, field: Field) => known.has(uuidOf(bytes, field))
  const at = (column: string) => columns.indexOf(column)
  const person = at(OF_PEOPLE[name] ?? '')
  const changes = columns.map((column) => changeOf(name, column, identity?.column === column, renumbering))
  const result = Buffer.from(tuples)
  const included: Buffer[] = []
  for (const tuple of eachTuple(result)) {
    const { start, end, fields } = tuple
    if (fields.length !== columns.length) throw new Error(`a row of ${name} does not have the columns of its table`)
    for (const [index, change] of changes.entries()) {
      const field = fields[index]
      if (change && field) change(result, field)
    }
    if (person >= 0 && exists(result, fields[person])) continue
    if (name === 'membership' && exists(result, fields[at('user_id')])) writeInstant(result, fields[at('joined_at')], atMs)
    if (name === 'invitation') writeFalse(result, fields[at('mailed')])
    const proofs = PROOFS[name]
    included.push(proofs ? withValues(result, tuple, columns, proofs) : result.subarray(start, end))
  }
  return Buffer.concat(included)
}

/** What is done with a column that refers to something: numbers are replaced, ids are only checked. */
function changeOf(
  table: string,
  column: string,
  isIdentity: boolean,
  { organization, last, regions, people, providers, bases }: Renumbering,
): ((bytes: Buffer, field: NonNullable<Field>) => void) | undefined {
  const refuse = (value: string | number) => {
    throw new Error(`a row of ${table} names ${column} ${value}, which the file does not contain`)
  }
  const numbered = isIdentity ? table : column
  const isOf = (ids: readonly string[]) => {
    const known = new Set(ids)
    return (bytes: Buffer, field: NonNullable<Field>) => {
      const id = uuidOf(bytes, field)
      if (!known.has(id)) refuse(id)
    }
  }
  if (column === 'user_id') return isOf(people)
  if (column === 'identity_provider') return isOf(providers)
  const numbers: Record<string, (number: number) => number | undefined> = {
    organization: (number) => (number === organization ? number + bases.organization : undefined),
    server: (number) => (number >= 1 && number <= last.server ? number + bases.server : undefined),
    monitor: (number) => (number >= 1 && number <= last.monitor ? number + bases.monitor : undefined),
    region: (number) => regions[String(number)],
  }
  const replace = numbers[numbered]
  if (!replace) return undefined
  return (bytes, field) => {
    const number = numberOf(bytes, field)
    write(bytes, field, replace(number) ?? refuse(number))
  }
}

/** The byte range of a field; undefined for null. */
type Field = { start: number; end: number } | undefined

interface Tuple {
  start: number
  end: number
  fields: Field[]
}

function* eachTuple(tuples: Buffer): Generator<Tuple> {
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
    if (at > tuples.length) throw new Error('a row ends after its frame')
    yield { start, end: at, fields }
  }
}

/** A field as COPY has it: its length, then its bytes; -1 for null. */
const NULL = Buffer.from([0xff, 0xff, 0xff, 0xff])
/** `{}` as jsonb, with its version. */
const EMPTY_OBJECT = Buffer.from([0, 0, 0, 3, 1, 0x7b, 0x7d])

type Values = Readonly<Record<string, Buffer>>
/** What was proved elsewhere is proved here again. */
const PROOFS: Readonly<Record<string, Values>> = {
  app_user: { email_verified_at: NULL },
  channel: { confirmed_to: NULL },
  identity_provider: { domain_proofs: EMPTY_OBJECT, domains_check_at: NULL },
}

/** The tuple with other values in these columns; null stays null. */
function withValues(bytes: Buffer, { start, end, fields }: Tuple, columns: readonly string[], values: Values): Buffer {
  const parts: Buffer[] = []
  let from = start
  for (const [index, field] of fields.entries()) {
    const value = values[columns[index] ?? '']
    if (!field || !value) continue
    parts.push(bytes.subarray(from, field.start - NULL.length), value)
    from = field.end
  }
  return Buffer.concat([...parts, bytes.subarray(from, end)])
}

const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1)

/** As PostgreSQL sends a timestamptz: µs since 2000. */
function writeInstant(bytes: Buffer, field: Field, ms: number): void {
  if (field) bytes.writeBigInt64BE(BigInt(ms - POSTGRES_EPOCH_MS) * 1_000n, field.start)
}

function writeFalse(bytes: Buffer, field: Field): void {
  if (field) bytes.writeUInt8(0, field.start)
}

/** Throws where it is neither a smallint nor an integer. */
function numberOf(bytes: Buffer, field: NonNullable<Field>): number {
  if (field.end - field.start !== 2 && field.end - field.start !== 4) throw new Error('a row has a number of another length')
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
