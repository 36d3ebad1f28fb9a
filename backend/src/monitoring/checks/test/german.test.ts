import { globSync } from 'node:fs'
import { join } from 'node:path'
import { assertionTypeSpec, CHECK_TYPES, checkKindSpec, NETWORK_FACTS } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { textsIn } from '../../../../test/source-texts.ts'
import { translate, translatePart } from '../../../platform/language/index.ts'
import { evaluateAssertions } from '../evaluation/index.ts'

const MONITORING = join(import.meta.dirname, '../..')

/** The code whose texts are messages of single checks. */
const SOURCES = ['checks/{probe,evaluation,status}/**/*.ts', 'heartbeats/{ingest,state}.ts']
/** Texts that no message has: of protocols, of programs, and why a definition is refused. */
const OTHERS = [
  /\.test\.ts$|\/test\/|store\.ts$/,
  /probe\/kinds\/dns\/(?:name|record)\.ts$/, // thrown, and replaced by one message
  /probe\/kinds\/domain\/rdap-servers\.ts$/,
  /probe\/kinds\/icmp\/examine\.ts$/, // for vedette probe check
  /evaluation\/json-schema\.ts$/, // faults of a definition
  /probe\/(?:worker|http\/request)\.ts$/,
]
const OTHER_TEXTS = [
  /^(?:set session |start transaction |begin transaction )/, // SQL
  /^(?:Connection|Upgrade|Accept|User-Agent): /,
  /^application\/json, |^Digest username=|^checked by Vedette$/, // of requests
  /^not an address range: /, // of a setting
  /^all patterns together /,
  /^(?:registered until 12|12, 12? answers?|12: 12, 12 ms|exit code 12|1 value|12 values|no entry)$/, // of an answer
  /^(?:stratum 12, offset 12 ms|\w+ of 12|subscribed, and no message so far|a (?:retained )?message of 12, 12 bytes)$/, // of what was read
  /^a ping could not be stored$/, // of the log
  /\(\?:|^renewal/, // patterns for WHOIS
  /^(?:12 unknown|the pattern 12|the path 12|JSON path 12 12)$/, // begun here, and complete in others
]
/** Faults of patterns and paths, which follow these words. */
const CONTINUED: readonly [RegExp, string][] = [
  [/^is (?:too large|not a regular)/, 'the pattern '],
  [/^is not an RFC/, 'the path '],
  [/^not (?:evaluated|found)|^is \d+$|^is an? (?:list|object)/, 'JSON path x '],
  [/^a list of|^an object/, 'JSON path x is '],
]

const sources = globSync(SOURCES, { cwd: MONITORING }).filter((path) => !OTHERS.some((other) => other.test(`/${path}`)))
const messages = new Set(
  sources
    .flatMap((path) => textsIn(join(MONITORING, path)))
    // Sentences begin with a letter or a value, and have words.
    .filter((text) => /^[\w"']/.test(text) && /\s[a-z]{2,}/.test(text) && !OTHER_TEXTS.some((other) => other.test(text))),
)

const ENGLISH = /\b(?:the|is|are|has|have|of|with|and|not|for|below|above|expected|that|no|failed|closed|sent|to)\b/

describe('what a single check says has a German sentence', () => {
  it('finds the messages in the code', () => expect(messages.size).toBeGreaterThan(200))

  it.each([...messages])('%s', (text) => {
    const before = CONTINUED.find(([begin]) => begin.test(text))?.[1] ?? ''
    const german = translatePart(`${before}${text}`, 'de')
    expect(german).not.toBe(`${before}${text}`)
    expect(german).not.toMatch(ENGLISH)
  })

  const facts = Object.keys(CHECK_TYPES).flatMap((kind) =>
    Object.entries({ ...checkKindSpec(kind)?.facts, ...NETWORK_FACTS }).flatMap(([type, { operators }]) =>
      operators.map((operator) => [kind, type, operator] as const),
    ),
  )
  it.each(facts)('%s: %s %s', (_kind, type, operator) => {
    const wanted = operator === 'less_than' || operator === 'greater_than' ? 5 : 'qx'
    const said = [undefined, 'qx', 'other', 5].flatMap((actual) => {
      const seen = { statusCode: null, responseMs: 1, certificateDaysLeft: null, headers: new Map(), text: () => '' }
      const property = assertionTypeSpec(type)?.property && 'uptime'
      const observation = { ...seen, facts: actual === undefined ? {} : { [property ?? type]: actual } }
      const { error } = evaluateAssertions(observation, [{ type, operator, value: wanted, ...(property && { property }) }])
      return error ? [translate(error.message, 'de')] : []
    })
    for (const german of said) expect(german).toMatch(/^(?!.*\b(?:unknown|expected|not|to)\b).*\(erwartet /)
  })
})
