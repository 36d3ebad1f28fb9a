/** A filter of RFC 4515 without extensible matches. Values are bytes as Latin-1 texts. */
export type LdapFilter =
  | { type: 'and' | 'or'; filters: readonly LdapFilter[] }
  | { type: 'not'; filter: LdapFilter }
  | { type: 'equals' | 'greater' | 'less' | 'approx'; attribute: string; value: string }
  | { type: 'present'; attribute: string }
  /** `initial*any*any*final`; the first and the last one may be empty. */
  | { type: 'substrings'; attribute: string; parts: readonly string[] }

const MAX_DEPTH = 10
const FAULT = { fault: 'must be a filter of RFC 4515, as (uid=ada) or (&(objectClass=person)(uid=ada))' } as const
const ITEM = /\(([a-zA-Z][a-zA-Z0-9;-]*|\d+(?:\.\d+)+)(=|>=|<=|~=)([^()]*)\)/y

/** Reads a filter, or says what is wrong with it. Linear in its length. Pure. */
export function parseLdapFilter(text: string): LdapFilter | { fault: string } {
  const read = filterAt(text, 0, 0)
  return read && read.end === text.length ? read.filter : FAULT
}

interface Read {
  filter: LdapFilter
  end: number
}

const LISTS: Readonly<Record<string, 'and' | 'or'>> = { '&': 'and', '|': 'or' }

function filterAt(text: string, at: number, depth: number): Read | undefined {
  if (depth > MAX_DEPTH || text[at] !== '(') return undefined
  const mark = text[at + 1] ?? ''
  if (mark === '!') {
    const inner = filterAt(text, at + 2, depth + 1)
    return inner && text[inner.end] === ')' ? { filter: { type: 'not', filter: inner.filter }, end: inner.end + 1 } : undefined
  }
  const type = LISTS[mark]
  return type === undefined ? itemAt(text, at) : listAt(text, at + 2, type, depth)
}

function listAt(text: string, at: number, type: 'and' | 'or', depth: number): Read | undefined {
  const filters: LdapFilter[] = []
  let end = at
  while (text[end] === '(') {
    const inner = filterAt(text, end, depth + 1)
    if (!inner) return undefined
    filters.push(inner.filter)
    end = inner.end
  }
  return filters.length > 0 && text[end] === ')' ? { filter: { type, filters }, end: end + 1 } : undefined
}

function itemAt(text: string, at: number): Read | undefined {
  ITEM.lastIndex = at
  const [whole = '', attribute = '', operator = '', value = ''] = ITEM.exec(text) ?? []
  const end = at + whole.length
  if (whole === '') return undefined
  const parts = value.split('*').map(bytesOf)
  if (!parts.every((part) => part !== undefined)) return undefined
  if (operator !== '=')
    return parts.length === 1
      ? { filter: { type: ORDERS[operator] as 'greater', attribute, value: parts[0] as string }, end }
      : undefined
  if (value === '*') return { filter: { type: 'present', attribute }, end }
  if (parts.length === 1) return { filter: { type: 'equals', attribute, value: parts[0] as string }, end }
  const isWhole = parts.slice(1, -1).every((part) => part !== '')
  return isWhole ? { filter: { type: 'substrings', attribute, parts }, end } : undefined
}

const ORDERS: Readonly<Record<string, 'greater' | 'less' | 'approx'>> = { '>=': 'greater', '<=': 'less', '~=': 'approx' }

/** `\2a` stands for a byte; everything else is UTF-8. */
function bytesOf(text: string): string | undefined {
  if (/\\(?![0-9a-fA-F]{2})|\0/.test(text)) return undefined
  const utf8 = String.fromCharCode(...new TextEncoder().encode(text))
  return utf8.replaceAll(/\\([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
