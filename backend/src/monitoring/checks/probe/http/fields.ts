/** The fields of a head. */
export interface Fields {
  /** By lower-case name. Repeated fields are joined by `, `, and one that is repeated as it is counts once. */
  headers: ReadonlyMap<string, string>
  /** The fields `Set-Cookie`, which cannot be joined. */
  setCookies: readonly string[]
}

/**
 * The name of a field by what stands before its colon, as a protocol has it: in lower case; undefined for a line that is passed over.
 * `hasColon`: false gives it the whole of a line without one. May throw.
 */
export type NameRule = (before: string, hasColon: boolean) => string | undefined

/**
 * Reads the lines `Name: value` of HTTP, SIP and RTSP, after the first line of a head. A line that begins with a blank continues the field
 * before it. The caller bounds the lines: HTTP by MAX_HEAD_BYTES, conversations by lines. Pure as `nameOf` is.
 */
export function readFields(lines: readonly string[], nameOf: NameRule): Fields {
  const fields: [name: string, value: string][] = []
  // The field that a folded line continues.
  let last: [string, string] | undefined
  for (const whole of lines) {
    const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole
    if (line === '') continue
    if (line.startsWith(' ') || line.startsWith('\t')) {
      if (last) last[1] += ` ${line.trim()}`
      continue
    }
    const colon = line.indexOf(':')
    const name = nameOf(colon === -1 ? line : line.slice(0, colon), colon !== -1)
    last = name === undefined ? undefined : [name, line.slice(colon + 1)]
    if (last) fields.push(last)
  }
  return joinFields(fields)
}

/** Proxies and applications may both write the same field: browsers take a `Location` twice as one. Names are in lower case. */
export function joinFields(fields: readonly (readonly [name: string, value: string])[]): Fields {
  const headers = new Map<string, string>()
  // Most names come once: a set for each costs as much as the rest.
  const repeated = new Map<string, Set<string>>()
  for (const [name, text] of fields) {
    // A folded field may begin with an empty line.
    const value = text.trim()
    const before = headers.get(name)
    if (before === undefined) {
      headers.set(name, value)
      continue
    }
    const values = repeated.get(name) ?? new Set([before])
    if (values.has(value)) continue
    repeated.set(name, values.add(value))
    headers.set(name, `${before}, ${value}`)
  }
  const setCookie = headers.get('set-cookie')
  return { headers, setCookies: [...(repeated.get('set-cookie') ?? (setCookie === undefined ? [] : [setCookie]))] }
}
