/** One setting of the file. */
export interface ConfigEntry {
  name: string
  /** Counted from 1. */
  line: number
  value: unknown
}

const SETTING = /^([a-z_]+): +(.+?) *(?: #.*)?$/
const BLANK = /^ *(?:#.*)?$/
/** Plain YAML scalars that can only be strings; what begins with a digit, a dot or a sign may be something else. */
const WORD = /^[A-Za-z/][\w/.:@%+-]*$/
const WHOLE = /^(?:0|[1-9]\d{0,14})$/
const QUOTED = /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]*)"|'([\x20-\x26\x28-\x7e]*)')$/
const LIST = /^\[ *(.+?) *\]$/

/**
 * Reads the simple YAML that nearly all config files use: one setting per line, with plain or quoted strings, numbers or a list of
 * them in brackets. Undefined for any other YAML, which needs the library: that costs 0.7 MB of memory for the life of the process.
 */
export function readPlainConfig(source: string): ConfigEntry[] | undefined {
  const entries: ConfigEntry[] = []
  const names = new Set<string>()
  for (const [index, text] of source.split('\n').entries()) {
    if (BLANK.test(text)) continue
    const [, name, written] = SETTING.exec(text) ?? []
    const value = written === undefined ? undefined : (readScalar(written) ?? readList(written))
    // A name like `true` is no string in YAML.
    if (name === undefined || value === undefined || names.has(name) || typeof readScalar(name) !== 'string') return undefined
    names.add(name)
    entries.push({ name, line: index + 1, value })
  }
  return entries
}

function readScalar(written: string): string | number | boolean | undefined {
  if (WHOLE.test(written)) return Number(written)
  if (written === 'true' || written === 'false') return written === 'true'
  const [, double, single] = QUOTED.exec(written) ?? []
  // Spellings that YAML does not read as strings, and what would be a key.
  if (/^(?:true|false|null)$/i.test(written) || written.endsWith(':')) return undefined
  return double ?? single ?? (WORD.test(written) ? written : undefined)
}

function readList(written: string): unknown[] | undefined {
  const inside = LIST.exec(written)?.[1]
  if (inside === undefined) return undefined
  // A comma inside quotes leaves parts that are no values.
  const values = inside.split(/ *, */).map((part) => (part.includes(':') && !QUOTED.test(part) ? undefined : readScalar(part)))
  return values.includes(undefined) ? undefined : values
}
