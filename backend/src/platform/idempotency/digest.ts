import { hash } from 'node:crypto'

/** Text that follows the values before it. */
class Mark {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * SHA-256 of a JSON value, the same for any order of an object's fields. Depth is not bounded, so no recursion: such bodies
 * reach routes that ignore what they do not know.
 */
export function digestOf(root: unknown): Buffer {
  const text: string[] = []
  const rest: unknown[] = [root]
  while (rest.length > 0) {
    const value = rest.pop()
    if (value instanceof Mark) text.push(value.text)
    else if (value === null || typeof value !== 'object') text.push(JSON.stringify(value) ?? '')
    else pushParts(rest, value)
  }
  return hash('sha256', text.join(''), 'buffer')
}

/** The last part goes on first: what is taken next is the end of the list. */
function pushParts(rest: unknown[], value: object): void {
  const isArray = Array.isArray(value)
  rest.push(new Mark(isArray ? ']' : '}'))
  const names = Object.keys(value)
  // Of an array the order says something.
  if (!isArray) names.sort()
  for (const name of names.reverse()) {
    rest.push(new Mark(','), (value as Record<string, unknown>)[name])
    if (!isArray) rest.push(new Mark(`${JSON.stringify(name)}:`))
  }
  rest.push(new Mark(isArray ? '[' : '{'))
}
