/** The numbers separated by blanks in `text` from `start` to `end`, up to the first non-number. */
export function parseNumbers(text: string, start: number, end: number): number[] {
  const numbers: number[] = []
  let position = start
  while (position < end) {
    while (position < end && isBlank(text.charCodeAt(position))) position++
    const from = position
    let value = 0
    while (position < end) {
      const digit = text.charCodeAt(position) - 48
      if (digit < 0 || digit > 9) break
      value = value * 10 + digit
      position++
    }
    if (position === from) break
    numbers.push(value)
  }
  return numbers
}

/** Position behind the number at `position` and the blanks around it; without a number, behind the blanks. */
export function skipNumber(text: string, position: number): number {
  let at = skipBlanks(text, position)
  while (isDigit(text.charCodeAt(at))) at++
  return skipBlanks(text, at)
}

function skipBlanks(text: string, position: number): number {
  let at = position
  while (isBlank(text.charCodeAt(at))) at++
  return at
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9
}

/** Calls `visit` with the bounds of every line, without the line feed. */
export function eachLine(text: string, visit: (start: number, end: number) => void): void {
  let start = 0
  while (start < text.length) {
    const feed = text.indexOf('\n', start)
    const end = feed < 0 ? text.length : feed
    visit(start, end)
    start = end + 1
  }
}
