/** A Unicode class is a list of some hundred ranges, which the engine copies, folds and merges. */
const UNICODE_CLASS = 100
/** Case folding visits each code point of a range: this many cost as much as one instruction. */
const FOLDED_PER_UNIT = 50
/** The engine's highest code point. */
const LAST_CODE_POINT = 0x10ffff

/**
 * Estimates the cost of compiling a pattern, in instructions of its program, from its text alone: the engine itself refuses a
 * pattern only after it has expanded all repeats, and folds wide ranges of any size, which takes seconds. The estimate is at
 * least half of the program's size, and more where the engine finds a shorter program. Invalid patterns have an estimate too.
 */
export function compileCost(source: string): number {
  const reader = { source, at: 0, folds: /\(\?[A-Za-z]*i/.test(source), readingCost: 0 }
  const groups: number[] = []
  let sum = 0
  let last = 0
  const add = (cost: number) => {
    sum += cost
    last = cost
  }
  while (reader.at < source.length) {
    const repeats = readRepeats(reader)
    if (repeats !== undefined) {
      // Each repetition is written out with a jump.
      const repeated = (last + 1) * Math.max(repeats, 1)
      sum += repeated - last
      last = repeated
    } else if (source[reader.at] === '(') {
      if (readGroupStart(reader)) {
        groups.push(sum)
        sum = 0
      }
    } else if (source[reader.at] === ')') {
      reader.at += 1
      const inner = sum + 2
      sum = groups.pop() ?? 0
      add(inner)
    } else add(readAtom(reader))
  }
  return groups.reduce((total, cost) => total + cost, sum + reader.readingCost)
}

interface Reader {
  source: string
  at: number
  /** Whether case is ignored in some part. */
  folds: boolean
  /** Paid once, however often the part is repeated. */
  readingCost: number
}

/** Consumes the match at the current position. */
function take(reader: Reader, sticky: RegExp): RegExpExecArray | undefined {
  sticky.lastIndex = reader.at
  const found = sticky.exec(reader.source)
  if (found) reader.at = sticky.lastIndex
  return found ?? undefined
}

/** The number of copies that a repeat expands to; undefined when there is no repeat here. */
function readRepeats(reader: Reader): number | undefined {
  const counted = take(reader, /\{(\d+)(,(\d*))?\}/y)
  if (!counted) return take(reader, /[*+?]/y) && 1
  const [, least, isOpen, most] = counted
  return isOpen !== undefined && most === '' ? Number(least) + 1 : Number(most ?? least)
}

/** True for a group; flags alone (`(?i)`) open none. */
function readGroupStart(reader: Reader): boolean {
  if (take(reader, /\(\?[A-Za-z-]*\)/y)) return false
  take(reader, /\((?:\?P?<[^>]*>|\?[A-Za-z-]*:)?/y)
  return true
}

/** Returns the atom's instructions. */
function readAtom(reader: Reader): number {
  if (readUnicodeClass(reader)) return 1
  const literal = take(reader, /\\Q(.*?)(?:\\E|$)/sy)
  if (literal) return literal[1]?.length ?? 0
  // A jump, and a step for an empty side.
  if (take(reader, /\|/y)) return 2
  if (reader.source[reader.at] === '[') readClass(reader)
  else if (!take(reader, /\\x\{[0-9A-Fa-f]*\}|\\?./suy)) reader.at += 1
  return 1
}

function readUnicodeClass(reader: Reader): boolean {
  if (!take(reader, /\\[pP](?:\{[^}]*\}|.)/suy)) return false
  reader.readingCost += UNICODE_CLASS
  return true
}

/** `[…]`; a bracket in first position is a literal character. */
function readClass(reader: Reader): void {
  take(reader, /\[\^?/y)
  for (let isFirst = true; reader.at < reader.source.length; isFirst = false) {
    if (!isFirst && take(reader, /\]/y)) return
    if (!readUnicodeClass(reader) && !take(reader, /\[:[^\]]*:\]/y)) readRange(reader)
  }
}

function readRange(reader: Reader): void {
  const from = readCharacter(reader)
  const to = take(reader, /-(?!\])/y) ? readCharacter(reader) : from
  reader.readingCost += reader.folds && to > from ? 1 + (to - from) / FOLDED_PER_UNIT : 1
}

/** Returns its code point; escapes other than `\x{…}` are among the first few hundred. */
function readCharacter(reader: Reader): number {
  const hexadecimal = take(reader, /\\x\{([0-9A-Fa-f]*)\}/y)
  if (hexadecimal) return Math.min(Number.parseInt(hexadecimal[1] || '0', 16), LAST_CODE_POINT)
  if (take(reader, /\\x[0-9A-Fa-f]{2}|\\[0-7]{1,3}|\\./suy)) return 0x1ff
  const character = take(reader, /./suy)
  if (!character) reader.at += 1
  return character?.[0].codePointAt(0) ?? 0
}
