import { describe, expect, it } from 'vitest'
import { GERMAN, GERMAN_PARTS } from './german/index.ts'
import { languageOf, translate, translatePart } from './translate.ts'

const PLACEHOLDER = /\{[#~]?\w+\}/g

/** With values of the kinds of its placeholders. */
const fill = (text: string) =>
  text.replaceAll(PLACEHOLDER, (name) => (name.startsWith('{#') ? '12.5' : `qx${name.replaceAll(/\W/g, '')}`))

describe('a sentence of the server in German', () => {
  it.each(Object.entries(GERMAN))('%s', (english, german) => {
    expect(german.match(PLACEHOLDER)?.toSorted()).toEqual(english.match(PLACEHOLDER)?.toSorted())
    // It is found again, and says all values.
    expect(translate(fill(english), 'de')).toBe(fill(german).replaceAll('12.5', '12,5'))
    expect(translate(fill(english), 'en')).toBe(fill(english))
  })

  it.each(Object.entries(GERMAN_PARTS))('%s is translated within a sentence only', (english, german) => {
    expect(german.match(PLACEHOLDER)?.toSorted()).toEqual(english.match(PLACEHOLDER)?.toSorted())
    expect(translatePart(fill(english), 'de')).toBe(fill(german).replaceAll('12.5', '12,5'))
    expect(translate(fill(english), 'de')).toBe(fill(english))
    expect(translate(`Resolved: ${fill(english)}`, 'de')).toBe(`Gelöst: ${fill(german).replaceAll('12.5', '12,5')}`)
  })

  it('has none of the words that only English has', () => {
    const words = /\b(?:the|is|are|has|have|of|with|and|not|for|below|above|threshold|expected|limit|since|restart|full)\b/i
    for (const german of [...Object.values(GERMAN), ...Object.values(GERMAN_PARTS)])
      expect(german.replaceAll(PLACEHOLDER, '')).not.toMatch(words)
  })

  it('translates what is found of a host, one by one', () => {
    const text = 'web-1: Disk sda has 312 reallocated sectors (limit 50); Unit a.service has failed and 2 more'
    expect(translate(text, 'de')).toBe(
      'web-1: Datenträger sda: 312 Sektoren wurden ersetzt (Grenze 50); Dienst a.service: fehlgeschlagen und 2 weitere',
    )
    expect(translate('Shop is down: 2 of 3 regions down: status 503 (expected 200–399)', 'de')).toBe(
      'Shop: ausgefallen: 2 von 3 Regionen ausgefallen: Status 503 (erwartet 200–399)',
    )
  })

  it.each([
    ['colons', 'a: '.repeat(300)],
    ['colons before what is found', `${'a: '.repeat(60)}Unit b has failed`],
    ['findings', `a: ${'Unit a has failed; '.repeat(50)}b`],
    ['numbers', `x: ${'1 '.repeat(400)}mean over y (threshold 1 `],
  ])('leaves a name of many %s after a bounded work', (_, text) => {
    expect(translate(text, 'de')).toBe(text)
  })

  it('keeps a name that has the form of a placeholder', () => {
    expect(translate('{clock} is online (last seen 12:08 UTC)', 'de')).toBe(
      '{clock}: wieder erreichbar (zuletzt gesehen 12:08 UTC)',
    )
  })

  it('leaves what people wrote', () => {
    for (const text of ['we saw: this, and 2 more', '', 'x'.repeat(5_000), 'a: b']) expect(translate(text, 'de')).toBe(text)
  })
})

it.each([
  [undefined, 'en'],
  ['*', 'en'],
  ['de', 'de'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['en-US,en;q=0.9,de;q=0.8', 'en'],
  ['fr,de;q=0.5', 'de'],
  ['en;q=0.1,de;q=0.7', 'de'],
  ['de;q=0', 'en'],
] as const)('of Accept-Language %s the language is %s', (header, language) => expect(languageOf(header)).toBe(language))
