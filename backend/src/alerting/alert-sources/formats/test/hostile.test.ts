import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../../platform/errors.ts'
import { fingerprintOf } from '../../alert.ts'
import { alertOf } from '../fields.ts'
import type { ReceivedAlert } from '../format.ts'
import { readOpsgenieAction } from '../opsgenie.ts'
import { readPagerDutyChange } from '../pagerduty.ts'
import { bounded } from './bounded.ts'
import { BODIES, CLOUDWATCH, FORMATS, snsOf, type FormatName } from './bodies.ts'

const MEGABYTE = 'x'.repeat(1_048_576)
const deep = (open: string, close: string, depth: number): unknown => JSON.parse(open.repeat(depth) + '1' + close.repeat(depth))
const wide = JSON.parse(`{${Array.from({ length: 50_000 }, (_, index) => `"${index}":"${index}"`).join(',')}}`) as unknown

/** By name, so that a failure can be read. */
const HOSTILE: Record<string, unknown> = {
  zero: 0,
  negative: -1,
  huge: 1e308,
  fraction: 1.5,
  true: true,
  null: null,
  undefined: undefined,
  'an empty list': [],
  'an empty object': {},
  'an empty text': '',
  blanks: ' \t\n ',
  'a list of all kinds': [null, 1, 'x', [], {}],
  'a list of half a million': Array.from({ length: 500_000 }, () => 0),
  'an object of 50,000': wide,
  'lists in lists': deep('[', ']', 100_000),
  'objects in objects': deep('{"a":', '}', 100_000),
  'a megabyte': MEGABYTE,
  'a megabyte of blanks': ' '.repeat(1_048_576),
  'a megabyte of control characters': '\u0000'.repeat(1_048_576),
  'a megabyte of names': JSON.parse(`{"${MEGABYTE}":"${MEGABYTE}"}`),
  'a megabyte of colons': ':'.repeat(1_048_576),
  'a megabyte of JSON': '['.repeat(1_048_576),
  'control characters': 'a\u0000b\u0007c\u001b[31md\u202ee\u2028f',
  'half a character': 'a\ud800',
  'wide characters': '😀'.repeat(300),
  'a prototype': JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  'the name of a prototype': '__proto__',
  'the year 9999': '9999-12-31T23:59:59Z',
  'the year 1': '0001-01-01T00:00:00Z',
  'no day': '2026-02-30T00:00:00Z',
  'seconds of a far year': 99_999_999_999,
  script: 'javascript:alert(1)',
  'a link with a line break': 'https://example.com/\r\nX: y',
  'a template': '{{ body | size }}${7*7}',
}

/** Every place of a body: objects and the first items of lists, four deep. */
function pathsOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null || path.length > 4) return [path]
  return [path, ...Object.entries(value).flatMap(([name, part]) => pathsOf(part, [...path, name]))]
}

function replaced(value: unknown, [name, ...rest]: string[], by: unknown): unknown {
  if (name === undefined) return by
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<string, unknown>
  copy[name] = replaced(copy[name], rest, by)
  return copy
}

/** An alarm of CloudWatch is sent as a text in a message of SNS. */
const asSent = (body: unknown): unknown => {
  const message = (body as { Message?: unknown } | null | undefined)?.Message
  return typeof message === 'object' && message !== null ? snsOf(message) : body
}

const isTime = (ms: number | null) => ms === null || (Number.isSafeInteger(ms) && ms > 0 && ms < 253_402_300_800_000)
const CONTROL = /[^\P{Cc}\n\t]/u

function assertBounded(alerts: readonly ReceivedAlert[]): void {
  for (const { key, title, text, by, url, labels, startsAtMs, endsAtMs } of alerts.map(bounded)) {
    const names = Object.entries(labels)
    const isShort =
      key.length >= 1 &&
      title.length >= 1 &&
      Buffer.byteLength(title) <= 500 &&
      Buffer.byteLength(text ?? '') <= 4_096 &&
      Buffer.byteLength(by ?? '') <= 200 &&
      names.length <= 64 &&
      names.flat().every((part) => part !== '' && Buffer.byteLength(part) <= 256)
    const texts = [title, text ?? '', by ?? '', ...names.flat()]
    const isClean = texts.every((part) => part.isWellFormed() && !CONTROL.test(part))
    const isLink = url === null || (/^https?:\/\/\S+$/.test(url) && url.length <= 2_048)
    expect({ isShort, isClean, isLink, isTime: isTime(startsAtMs) && isTime(endsAtMs) }).toEqual({
      isShort: true,
      isClean: true,
      isLink: true,
      isTime: true,
    })
  }
}

/** Milliseconds of the processor in this thread, the least of several readings: other programs use the machine too. */
function leastTimeOf(read: () => void): number {
  let least = Infinity
  for (let round = 0; round < 5 && least > 50; round += 1) {
    const before = process.threadCpuUsage()
    read()
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

describe('what a hostile sender sends', () => {
  const READERS: [string, object, (body: unknown) => ReceivedAlert[]][] = [
    ...(Object.keys(FORMATS) as FormatName[]).map((name): (typeof READERS)[number] => [
      name,
      BODIES[name],
      (body) => FORMATS[name].read({ body, headers: {}, nowMs: 0 }).alerts,
    ]),
    ['an alarm of CloudWatch', { Message: CLOUDWATCH }, (body) => FORMATS.sns.read({ body, headers: {}, nowMs: 0 }).alerts],
    [
      'an action of Opsgenie',
      { note: 'On it', user: 'Ada', source: 'web' },
      (body) => [readOpsgenieAction('notes', { identifier: 'a' }, { body })],
    ],
    [
      'a change of PagerDuty',
      { payload: { ...BODIES.pagerduty.payload }, links: BODIES.pagerduty.links },
      (body) => {
        const { text, url, atMs } = readPagerDutyChange({ body })
        return [alertOf({ key: 'change', status: 'firing', title: text, url, startsAtMs: atMs })]
      },
    ],
  ]

  it.each(READERS)(
    '%s is read into bounded texts or refused by name, within 50 ms, whatever stands in a field',
    (_name, whole, read) => {
      let readings = 0
      for (const path of pathsOf(whole)) {
        for (const [kind, value] of Object.entries(HOSTILE)) {
          const body = asSent(replaced(whole, path, value))
          const attempt = () => {
            try {
              assertBounded(read(body))
            } catch (error) {
              if (!(error instanceof ApiError) || error.code !== 'validation_error')
                throw new Error(`${path.join('.')}: ${kind}`, { cause: error })
            }
          }
          expect(leastTimeOf(attempt), `${path.join('.')}: ${kind}`).toBeLessThan(50)
          readings += 1
        }
      }
      expect(readings).toBeGreaterThan(100)
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    },
  )

  it('two keys that differ far behind, or in control characters, stay two keys', () => {
    const long = 'k'.repeat(100_000)
    const keys = [`${long}1`, `${long}2`, 'a b', 'a\u0000b', 'a\u0001b']
    expect(new Set(keys.map((key) => fingerprintOf('source', key))).size).toBe(keys.length)
  })

  it('a label of 256 bytes stays whole, one more byte is left out, and a character is never cut in half', () => {
    const labelOf = (value: string) =>
      bounded(alertOf({ key: 'k', status: 'firing', title: 'x', labels: { name: value } })).labels['name']
    expect(labelOf('é'.repeat(128))).toBe('é'.repeat(128))
    expect(Buffer.byteLength(labelOf('é'.repeat(129)) ?? '')).toBeLessThanOrEqual(256)
    expect(labelOf(`x${'😀'.repeat(64)}`)?.isWellFormed()).toBe(true)
  })
})
