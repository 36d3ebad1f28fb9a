import { GERMAN } from './german.ts'

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

interface Sentence {
  /** Its longest part without a placeholder: most texts do not have it. */
  literal: string
  pattern: RegExp
  names: readonly string[]
  german: string
}

const PLACEHOLDER = /\{([#~]?\w+)\}/
const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** Those with more fixed text first: they say more than what begins in the same way. */
const SENTENCES: readonly Sentence[] = Object.entries(GERMAN)
  .map(([english, german]) => {
    const parts = english.split(PLACEHOLDER)
    const names = parts.filter((_, index) => index % 2 === 1)
    const literals = parts.filter((_, index) => index % 2 === 0)
    const source = parts.map((part, index) => {
      if (index % 2 === 0) return escape(part)
      return part.startsWith('#') ? String.raw`(-?\d+(?:\.\d+)?)` : '(.+?)'
    })
    // What begins a message is before what it says.
    const length = literals.join('').length + (/^[A-Za-z ]+: \{[~\w]+\}$/.test(english) ? MAX_LENGTH : 0)
    const literal = literals.reduce((longest, one) => (one.length > longest.length ? one : longest), '')
    return { length, literal, pattern: new RegExp(`^${source.join('')}$`, 'su'), names, german }
  })
  .toSorted((one, other) => other.length - one.length)

/**
 * A sentence that the server made in another language. A text that is none of them stays: it is of people, of a service, or technical.
 * Pure.
 */
export function translate(text: string, language: Language): string {
  return language === 'en' || text.length > MAX_LENGTH ? text : (germanOf(text) ?? text)
}

function germanOf(text: string): string | undefined {
  for (const { literal, pattern, names, german } of SENTENCES) {
    const values = text.includes(literal) ? pattern.exec(text)?.slice(1) : undefined
    if (!values) continue
    return names.reduce((made, name, index) => made.replace(`{${name}}`, () => valueOf(name, values[index] ?? '')), german)
  }
  return germanOfFindings(text)
}

function valueOf(name: string, value: string): string {
  if (name.startsWith('#')) return value.replace('.', ',')
  return name.startsWith('~') ? (germanOf(value) ?? value) : value
}

/** `web-1: Disk sda reports that it is failing; Unit a has failed and 2 more`. */
function germanOfFindings(text: string): string | undefined {
  const [, all = '', others] = /^(.*?)(?: and (\d+) more)?$/su.exec(text) ?? []
  for (let at = all.indexOf(': '); at >= 0; at = all.indexOf(': ', at + 1)) {
    const parts = all
      .slice(at + 2)
      .split('; ')
      .map(germanOf)
    if (parts.every((part) => part !== undefined))
      return `${all.slice(0, at)}: ${parts.join('; ')}${others === undefined ? '' : ` und ${others} weitere`}`
  }
  return undefined
}
