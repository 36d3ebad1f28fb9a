const UNIT_MS: Readonly<Record<string, number>> = {
  y: 365 * 86_400_000,
  w: 7 * 86_400_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
}

const DURATION = /^(?:\d+(?:ms|[ywdhms]))+$/

/** Milliseconds of `1h30m`; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined
  let ms = 0
  for (const [, amount, unit] of text.matchAll(/(\d+)(ms|[ywdhms])/g)) ms += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0)
  return ms
}

/** A duration in Prometheus' form: the largest units first, weeks and years only where nothing is left. */
export function formatDuration(durationMs: number): string {
  if (durationMs === 0) return '0s'
  const sign = durationMs < 0 ? '-' : ''
  let rest = Math.abs(durationMs)
  let text = ''
  for (const [unit, exact] of [
    ['y', true],
    ['w', true],
    ['d', false],
    ['h', false],
    ['m', false],
    ['s', false],
    ['ms', false],
  ] as const) {
    const unitMs = UNIT_MS[unit] ?? 1
    if (exact && rest % unitMs !== 0) continue
    const amount = Math.floor(rest / unitMs)
    if (amount > 0) text += `${amount}${unit}`
    rest -= amount * unitMs
  }
  return sign + text
}

/** An unsigned number as Go reads it: `010` is octal, a duration is its seconds. */
export function parseNumber(text: string): number {
  const lower = text.toLowerCase()
  if (lower === 'inf') return Infinity
  if (lower === 'nan') return NaN
  const durationMs = parseDuration(text)
  if (durationMs !== undefined) return durationMs / 1_000
  const plain = text.replaceAll('_', '')
  if (/^0[0-7]+$/.test(plain)) return Number.parseInt(plain, 8)
  return Number(plain)
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
}

/** The text of a quoted string with Go's escapes; `undefined` where an escape is wrong or the string does not end. */
export function unquote(literal: string): string | undefined {
  const quote = literal[0] ?? ''
  if (literal.length < 2 || quote !== literal.at(-1)) return undefined
  const body = literal.slice(1, -1)
  if (quote === '`') return body
  if (body.includes('\n')) return undefined
  if (!body.includes('\\')) return body
  // Some escapes are single bytes of UTF-8.
  const pieces: Buffer[] = []
  for (const [piece] of body.matchAll(/[^\\]+|\\(?:x.{0,2}|u.{0,4}|U.{0,8}|[0-7].{0,2}|.?)/gs)) {
    const bytes = piece.startsWith('\\') ? readEscape(piece.slice(1), quote) : Buffer.from(piece)
    if (!bytes) return undefined
    pieces.push(bytes)
  }
  return Buffer.concat(pieces).toString()
}

const NUMERIC_ESCAPE = /^(?:x(?<byte>[0-9a-fA-F]{2})|u(?<short>[0-9a-fA-F]{4})|U(?<long>[0-9a-fA-F]{8})|(?<octal>[0-3][0-7]{2}))$/

function readEscape(escape: string, quote: string): Buffer | undefined {
  const simple = escape === quote ? quote : SIMPLE_ESCAPES[escape]
  if (simple !== undefined) return Buffer.from(simple)
  const { byte, short, long, octal } = NUMERIC_ESCAPE.exec(escape)?.groups ?? {}
  if (octal !== undefined) return Buffer.of(Number.parseInt(octal, 8))
  if (byte !== undefined) return Buffer.of(Number.parseInt(byte, 16))
  const code = Number.parseInt(short ?? long ?? '', 16)
  return code <= 0x10ffff ? Buffer.from(String.fromCodePoint(code)) : undefined
}
