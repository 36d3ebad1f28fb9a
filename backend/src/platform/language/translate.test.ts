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

  it.each([
    ['body of 1 byte (expected below 1 byte)', 'Inhalt von 1 Byte (erwartet unter 1 Byte)'],
    ['body of 2 bytes (expected above 1 byte)', 'Inhalt von 2 Bytes (erwartet über 1 Byte)'],
    ['certificate expiry in 1 day (expected above 14 days)', 'Zertifikat läuft in 1 Tag ab (erwartet nach 14 Tagen)'],
    ['the connection was closed after 1 of 1 byte of the body', 'die Verbindung wurde nach 1 von 1 Byte des Bodys geschlossen'],
    [
      '1 days: certificate expires in 1 day (threshold: below 1 day)',
      '1 days: Zertifikat läuft in 1 Tag ab (Schwelle: unter 1 Tag)',
    ],
  ])('says one of a unit as one: %s', (english, german) => {
    expect(translate(english, 'de')).toBe(german)
  })

  it('says every sentence of one day, byte or hour, and none of them as several', () => {
    const one = (text: string) =>
      text
        .replaceAll(PLACEHOLDER, (name) => (name.startsWith('{#') ? '1' : `qx${name.replaceAll(/\W/g, '')}`))
        .replaceAll(/\b1 (byte|character|day|hour|minute|second)s\b/g, '1 $1')
    const found = Object.keys(GERMAN).filter((english) => /\{#\w+\} (?:bytes|days|hours|minutes|seconds)\b/.test(english))
    expect(found.length).toBeGreaterThan(20)
    for (const english of found) {
      const german = translate(one(english), 'de')
      expect(german).not.toBe(one(english))
      expect(german).not.toMatch(/\b1 (?:Bytes|Tagen?|Stunden|Minuten|Sekunden)\b/)
    }
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
