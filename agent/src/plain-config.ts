/** One setting as the file has it. */
export interface ConfigEntry {
  name: string
  /** Counted from 1. */
  line: number
  value: unknown
}

const SETTING = /^([a-z_]+): +(.+?) *(?: #.*)?$/
const NOTHING = /^ *(?:#.*)?$/
/** Words that are a text in YAML and nothing else; what begins with a digit, a dot or a sign may be many things. */
const WORD = /^[A-Za-z/][\w/.:@%+-]*$/
const WHOLE = /^(?:0|[1-9]\d{0,14})$/
const QUOTED = /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]*)"|'([\x20-\x26\x28-\x7e]*)')$/
const LIST = /^\[ *(.+?) *\]$/

/**
 * The settings of a file that is as plain as nearly all are: a setting a line, of words, numbers, quoted texts or a list of them
 * in brackets. Undefined for anything else that YAML may be: then the library has to read it, which is 0.7 MB of memory for as
 * long as the process runs.
 */
export function readPlainConfig(source: string): ConfigEntry[] | undefined {
  const entries: ConfigEntry[] = []
  const names = new Set<string>()
  for (const [index, text] of source.split('\n').entries()) {
    if (NOTHING.test(text)) continue
    const [, name, written] = SETTING.exec(text) ?? []
    const value = written === undefined ? undefined : (readScalar(written) ?? readList(written))
    // A name that is a value of YAML is none for the library.
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
  // A word of YAML that is no text in some spelling, and one that would be a key.
  if (/^(?:true|false|null)$/i.test(written) || written.endsWith(':')) return undefined
  return double ?? single ?? (WORD.test(written) ? written : undefined)
}

function readList(written: string): unknown[] | undefined {
  const inside = LIST.exec(written)?.[1]
  if (inside === undefined) return undefined
  // A comma within quotes leaves halves that are no values.
  const values = inside.split(/ *, */).map((part) => (part.includes(':') && !QUOTED.test(part) ? undefined : readScalar(part)))
  return values.includes(undefined) ? undefined : values
}
