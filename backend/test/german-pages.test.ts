import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { translatePart } from '../src/platform/language/index.ts'
import { textsIn } from './source-texts.ts'

const SOURCE = join(import.meta.dirname, '../src')
/** Files that make such pages, and those that say why a sign-in by an identity provider fails. */
const PAGES = globSync('**/*.ts', { cwd: SOURCE }).filter(
  (path) => !path.endsWith('.test.ts') && readFileSync(join(SOURCE, path), 'utf8').includes('plainPage('),
)
const REASONS = ['sign-in', 'exchange', 'account'].map((name) => `access/identity-providers/${name}.ts`)

const ENGLISH = /\b(?:the|is|are|has|have|of|with|and|not|for|you|your|it|this|that|to|more|now|open|since|until|turn|back)\b/i
/** Of the description of the API, of logs, of protocols, and why the answer of a provider is not valid, for the log alone. */
const OTHERS = [
  /^(?:Find the|By its domain|Change your|Replaces your)/,
  /^is configured and/,
  /^(?:an identity provider cannot|a sign-in by an|the ID token|there is no ID|the subject is|GitHub )/,
  /^openid |^Bearer |^S256$|^application\/|charset=/,
  /^Too many requests\.$/, // how long to wait follows
  /^(?:Content-Type|Content-Security-Policy|Referrer-Policy|X-Frame-Options|Cache-Control|Max-Age|DENY)|^default-src/,
]

const texts = [...PAGES, ...REASONS]
  .flatMap((path) => textsIn(join(SOURCE, path)))
  // Names of fields, files and codes have no blank, but for words that begin with a capital letter.
  .filter((text) => /^(?:[A-Z]|12 )[a-z\d ].*/.test(text) && !OTHERS.some((other) => other.test(text)))

describe('a page that a link opens, in German', () => {
  it('is found in the code', () => expect([PAGES.length, new Set(texts).size]).toEqual([6, expect.toSatisfy((n) => n >= 40)]))

  it.each([...new Set(texts)])('says: %s', (text) => {
    const german = translatePart(text, 'de')
    expect(german).not.toBe(text)
    expect(german).not.toMatch(ENGLISH)
  })
})
