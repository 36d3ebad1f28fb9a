import { UNIT_WORDS } from '@vedette/shared'
import { GERMAN, GERMAN_PARTS } from './german/index.ts'

export type Language = 'en' | 'de'

/** The first language of an `Accept-Language` that there is, by its weights; else English. Pure. */
export function languageOf(header: string | undefined): Language {
  const wanted = (header ?? '').split(',').map((part, index) => {
    const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
    const weight = parameters.map((one) => /^\s*q=([\d.]+)$/.exec(one)?.[1]).find((one) => one !== undefined)
    return { language: tag.split('-')[0], weight: weight === undefined ? 1 : Number(weight), index }
  })
  const sorted = wanted.toSorted((one, other) => other.weight - one.weight || one.index - other.index)
  for (const { language, weight } of sorted) if (weight > 0 && (language === 'en' || language === 'de')) return language
  return 'en'
}

/** Longer texts are no sentences of this server. */
const MAX_LENGTH = 1_000
/** How often a text may be cut in two before it is left as it is: names may have been written to fit many sentences at many places. */
const MAX_CUTS = 500

interface Sentence {
  /** Its longest part without a placeholder: most texts do not have it. */
  literal: string
  /** What stands before, between and after the placeholders: one more than there are names. */
  literals: readonly string[]
  names: readonly string[]
  german: string
  isPart: boolean
}

const PLACEHOLDER = /\{([#~]?\w+)\}/
/** A unit behind a number of the tables, which have it for several. */
const UNIT_BEHIND = new RegExp(`^ (?:${UNIT_WORDS.join('|')})\\b`)
/** Of one, the units of the German sentences. */
const GERMAN_ONE: Readonly<Record<string, string>> = {
  Bytes: 'Byte',
  Tage: 'Tag',
  Tagen: 'Tag',
  Stunden: 'Stunde',
  Minuten: 'Minute',
  Sekunden: 'Sekunde',
}
const GERMAN_PLACEHOLDER = new RegExp(`${PLACEHOLDER.source}( (?:${Object.keys(GERMAN_ONE).join('|')})\\b)?`, 'g')
const NUMBER = /-?\d+(?:\.\d+)?/y

/** Those with more fixed text first: they say more than what begins in the same way. */
const SENTENCES: readonly Sentence[] = Object.entries({ ...GERMAN_PARTS, ...GERMAN })
  .map(([english, german]) => {
    const parts = english.split(PLACEHOLDER)
    const names = parts.filter((_, index) => index % 2 === 1)
    const literals = parts.filter((_, index) => index % 2 === 0)
    // What begins a message is before what it says.
    const length = literals.join('').length + (/^[A-Za-z ]+: \{[~\w]+\}$/.test(english) ? MAX_LENGTH : 0)
    const literal = literals
      .map((one) => one.replace(UNIT_BEHIND, ''))
      .reduce((longest, one) => (one.length > longest.length ? one : longest), '')
    return { length, literal, literals, names, german, isPart: !Object.hasOwn(GERMAN, english) }
  })
  .toSorted((one, other) => other.length - one.length)

/**
 * A sentence that the server made in another language. A text that is none of them stays: it is of people, of a service, or technical.
 * The work for a text is bounded, whatever it is. Pure.
 */
export function translate(text: string, language: Language): string {
  if (language === 'en' || text.length > MAX_LENGTH) return text
  const cuts = { left: MAX_CUTS }
  return germanOf(text, cuts, false) ?? germanOfFindings(text, cuts) ?? text
}

/** The same of a heading, a button or a value of a list: a text that nobody but the server writes. Pure. */
export function translatePart(text: string, language: Language): string {
  if (language === 'en' || text.length > MAX_LENGTH) return text
  return germanOf(text, { left: MAX_CUTS }, true) ?? text
}

interface Cuts {
  left: number
}

function germanOf(text: string, cuts: Cuts, withParts: boolean): string | undefined {
  for (const { literal, literals, names, german, isPart } of SENTENCES) {
    if (isPart && !withParts) continue
    const values = text.includes(literal) ? valuesIn(text, literals, names, cuts) : undefined
    if (!values) continue
    return german.replaceAll(GERMAN_PLACEHOLDER, (_, name: string, unit = '') => {
      const value = values[names.indexOf(name)] ?? ''
      if (name.startsWith('#'))
        return `${value.replace('.', ',')}${isOne(value) && unit !== '' ? ` ${GERMAN_ONE[unit.trim()]}` : unit}`
      return `${name.startsWith('~') ? (germanOf(value, cuts, true) ?? value) : value}${unit}`
    })
  }
  return undefined
}

const isOne = (number: string): boolean => number === '1' || number === '-1'

/** What stands at the placeholders, each text as short as it can be; undefined where the text is another sentence. */
function valuesIn(text: string, literals: readonly string[], names: readonly string[], cuts: Cuts): string[] | undefined {
  const from = (index: number, at: number): string[] | undefined => {
    const [name, next] = [names[index], literals[index + 1]]
    if (name === undefined || next === undefined) return at === text.length ? [] : undefined
    if (name.startsWith('#')) {
      NUMBER.lastIndex = at
      const number = NUMBER.exec(text)?.[0]
      return number === undefined ? undefined : upTo(index, at, at + number.length)
    }
    if (index === names.length - 1) return upTo(index, at, text.length - next.length)
    for (let end = text.indexOf(next, at + 1); end >= 0 && cuts.left > 0; end = text.indexOf(next, end + 1)) {
      cuts.left -= 1
      const values = upTo(index, at, end)
      if (values) return values
    }
    return undefined
  }
  const upTo = (index: number, at: number, end: number): string[] | undefined => {
    const value = text.slice(at, end)
    const several = literals[index + 1] ?? ''
    const isNumber = names[index]?.startsWith('#') === true
    const next = isNumber && isOne(value) ? several.replace(UNIT_BEHIND, (unit) => unit.slice(0, -1)) : several
    if (end <= at || !text.startsWith(next, end)) return undefined
    const rest = from(index + 1, end + next.length)
    return rest && [value, ...rest]
  }
  const [first = ''] = literals
  return text.startsWith(first) ? from(0, first.length) : undefined
}

/** `web-1: Disk sda reports that it is failing; Unit a has failed and 2 more`. */
function germanOfFindings(whole: string, cuts: Cuts): string | undefined {
  const [, all = '', others] = /^(.*?)(?: and (\d+) more)?$/su.exec(whole) ?? []
  for (let at = all.indexOf(': '); at >= 0 && cuts.left > 0; at = all.indexOf(': ', at + 1)) {
    // Each tries the whole table.
    cuts.left -= 10
    const parts: string[] = []
    const texts = all.slice(at + 2).split('; ')
    for (const text of texts) {
      const part = germanOf(text, cuts, false)
      if (part === undefined) break
      parts.push(part)
    }
    if (parts.length === texts.length)
      return `${all.slice(0, at)}: ${parts.join('; ')}${others === undefined ? '' : ` und ${others} weitere`}`
  }
  return undefined
}
