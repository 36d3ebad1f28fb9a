import { DecodingFault } from '../received.ts'

/** What an attribute may hold; a map is a list of pairs. */
export type AttributeValue = string | boolean | number | bigint | Uint8Array | null | AttributeValue[] | AttributeMap
export interface AttributeMap {
  entries: [key: string, value: AttributeValue][]
}

/** Of a list, those within its values too. */
export const MOST_ATTRIBUTES = 1_024
export const MOST_DEPTH = 16

/** The attributes of one message, and how many values it has. */
export class Attributes {
  readonly pairs: [key: string, value: string][] = []
  #count = 0

  /** Before a value at a depth is read: 0 for that of an attribute itself. */
  count(depth: number): void {
    this.#count += 1
    if (this.#count > MOST_ATTRIBUTES) throw new DecodingFault(`more than ${MOST_ATTRIBUTES} attributes and values within them`)
    if (depth > MOST_DEPTH) throw new DecodingFault(`an attribute is nested more than ${MOST_DEPTH} deep`)
  }

  add(key: string, value: AttributeValue): void {
    this.pairs.push([key, textOf(value)])
  }

  without(dropped: ReadonlySet<string>): Attributes {
    const rest = new Attributes()
    rest.pairs.push(...this.pairs.filter(([key]) => !dropped.has(key)))
    return rest
  }

  get(key: string): string | undefined {
    return this.pairs.find(([name]) => name === key)?.[1]
  }
}

function textOf(value: AttributeValue): string {
  if (typeof value === 'string') return value
  if (value === null) return ''
  if (typeof value === 'number' && !Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  return value instanceof Uint8Array ? base64Of(value) : jsonOf(value)
}

/** As JSON of one line, keys of maps in order. */
function jsonOf(value: AttributeValue): string {
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`
  if (value instanceof Uint8Array) return JSON.stringify(base64Of(value))
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = value.entries.toSorted(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${jsonOf(inner)}`).join(',')}}`
}

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
