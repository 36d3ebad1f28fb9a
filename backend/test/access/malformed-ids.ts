import { randomUUID } from 'node:crypto'
import { ID_PREFIX, type IdKind } from '@vedette/shared'
import { encodeId, parseId } from '../../src/platform/ids.ts'

/** The stored id behind an id of any kind. */
function storedOf(id: string): string {
  const kinds = Object.keys(ID_PREFIX) as IdKind[]
  const stored = kinds.map((kind) => parseId(kind, id)).find((found) => found !== undefined)
  if (stored === undefined) throw new Error(`${id} is no id`)
  return stored
}

/** Every way in which an id can be wrong in itself, made of a right one. */
export function malformedIds(right: string): Record<string, string> {
  const [prefix = '', suffix = ''] = right.split('_')
  return {
    'of nothing': encodeId('server', randomUUID()).replace('srv', prefix),
    'of another type': `${prefix === 'mon' ? 'org' : 'mon'}_${suffix}`,
    'in upper case': right.toUpperCase(),
    'without its type': suffix,
    'as it is stored': storedOf(right),
    'cut short': right.slice(0, -1),
    'too long': `${right}0`,
    'past 128 bits': `${prefix}_8${suffix.slice(1)}`,
    'with a letter that is none of the alphabet': `${prefix}_${suffix.slice(0, -1)}u`,
    'with a blank': `${right}%20`,
    'with NUL': `${right}%00`,
    'with a step upwards': `..%2f${right}`,
    'of a prototype': '__proto__',
    'of no text': 'null',
  }
}
