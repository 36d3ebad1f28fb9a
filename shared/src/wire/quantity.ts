/** Units that are words, and end in an s where they are several. `ms`, `s` and `%` stay as they are. */
export const UNIT_WORDS = ['bytes', 'characters', 'days', 'hours', 'minutes', 'seconds'] as const
const WORDS: ReadonlySet<string> = new Set(UNIT_WORDS)
/** A unit at the beginning of what follows a number. */
const BEHIND = new RegExp(`^ (?:${UNIT_WORDS.join('|')})\\b`)

const isOne = (value: unknown): boolean => value === 1 || value === -1

/** `1 byte`, `2 bytes`, `5 ms`. Pure. */
export const quantity = (value: number | string, unit: string): string =>
  `${value} ${isOne(value) && WORDS.has(unit) ? unit.slice(0, -1) : unit}`

/** A template whose numbers are followed by units: of one it says `1 byte`. Texts that people wrote stay as they are. Pure. */
export const counted = (texts: TemplateStringsArray, ...values: (string | number)[]): string =>
  texts.reduce((whole, text, index) => {
    const value = values[index - 1] ?? ''
    return `${whole}${value}${isOne(value) ? text.replace(BEHIND, (unit) => unit.slice(0, -1)) : text}`
  })
