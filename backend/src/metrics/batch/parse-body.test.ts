import { ALL_FIELDS, METRIC_GROUPS } from '@vedette/shared'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PushFault } from './faults.ts'
import { parsePushBody } from './parse-body.ts'
import { ScannedColumns } from './scan-columns.ts'
import { head, NOW, parse } from './test-push.ts'

const json = (text: string): unknown => JSON.parse(text)
const scanning = (text: string) => parsePushBody(Buffer.from(text), 0)

/** What becomes of a body, refusals included. */
function outcomeOf(text: string, read: (text: string) => unknown): unknown {
  try {
    return parse(read(text))
  } catch (error) {
    if (error instanceof PushFault) return error.details
    if (error instanceof SyntaxError) return 'no JSON'
    throw error
  }
}

/** What becomes of it here and by JSON.parse alone. */
const bothOf = (text: string) => [outcomeOf(text, scanning), outcomeOf(text, json)] as const

const isScanned = (text: string) => (scanning(text) as { columns: unknown }).columns instanceof ScannedColumns

const bodyOf = (columns: string, more = '') => `{${JSON.stringify(head).slice(1, -1)},"columns":${columns}${more}}`

/** As agents write numbers, and as anybody may. */
const neat = fc.oneof(
  fc.constant(null),
  fc.nat(),
  fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => Math.round(value * 1_000) / 1_000),
)
const any = fc.oneof(fc.constant(null), fc.double())

/** Some fields of each group, in any order. */
const columnsOf = (number: fc.Arbitrary<number | null>) =>
  fc.integer({ min: 1, max: 4 }).chain((count) => {
    const column = fc.array(number, { minLength: count, maxLength: count })
    const instants = Array.from({ length: count }, (_, index) => NOW + index * 10_000)
    const groups = METRIC_GROUPS.map((group) => {
      const names = ALL_FIELDS.filter((field) => field.group === group).map(({ name }) => name)
      const some = fc.shuffledSubarray(names, { minLength: 1 })
      return some
        .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, column]))))
        .map((fields) => [group, fields])
    })
    return fc.tuple(...groups).map((all) => JSON.stringify({ at_ms: instants, ...(Object.fromEntries(all) as object) }))
  })

describe('a body whose columns are read from its bytes', () => {
  it('becomes the push that JSON.parse makes of it [PUSH-04]', () => {
    const ofAgents = fc.property(columnsOf(neat), (columns) => {
      expect(isScanned(bodyOf(columns))).toBe(true)
      const [here, there] = bothOf(bodyOf(columns))
      expect(here).toEqual(there)
    })
    fc.assert(ofAgents, { numRuns: 100 })
    const ofAnybody = fc.property(columnsOf(any), (columns) => {
      const [here, there] = bothOf(bodyOf(columns))
      expect(here).toEqual(there)
    })
    fc.assert(ofAnybody, { numRuns: 30 })
  })

  it('is the same, or is refused in the same words, whatever is changed in it [PUSH-29]', () => {
    const text = bodyOf(
      '{"at_ms":[1763663400000,1763663410000],"cpu":{"percent":[1.25,null],"load_1":[0,10.5]},"memory":{"percent":[7,8]}}',
    )
    const piece = fc.oneof(
      fc.constantFrom(...Array.from('",.:[]{}0159eE+- nu\\'), 'null', '00', '"cpu":', '"columns":{"at_ms":['),
      fc.string({ maxLength: 2 }),
    )
    const changed = fc.property(fc.nat(text.length), fc.nat(3), piece, (at, drop, put) => {
      const [here, there] = bothOf(text.slice(0, at) + put + text.slice(at + drop))
      expect(here).toEqual(there)
    })
    fc.assert(changed, { numRuns: 400 })
  })

  it.each([
    ['numbers of 15 digits', '{"at_ms":[1],"disk":{"read_iops":[99999999999.9999]}}', true],
    [
      'several groups and null',
      '{"at_ms":[1,2],"cpu":{"percent":[null,0.1],"load_1":[3,4]},"memory":{"percent":[5,6.25]}}',
      true,
    ],
    ['numbers of 16 digits', '{"at_ms":[1],"disk":{"read_iops":[999999999999.9999]}}', false],
    ['an exponent', '{"at_ms":[1],"cpu":{"percent":[1e1]}}', false],
    ['a sign', '{"at_ms":[1],"cpu":{"percent":[-1]}}', false],
    ['blanks', '{"at_ms":[1], "cpu":{"percent":[1]}}', false],
    ['a field that is not known', '{"at_ms":[1],"cpu":{"later":[1]}}', false],
    ['a group that is not known', '{"at_ms":[1],"later":{"percent":[1]}}', false],
    ['a field twice', '{"at_ms":[1],"cpu":{"percent":[1],"percent":[2]}}', false],
    ['a group twice', '{"at_ms":[1],"cpu":{"percent":[1]},"cpu":{"load_1":[2]}}', false],
    ['half an instant', '{"at_ms":[1.5],"cpu":{"percent":[1]}}', false],
    ['a column that is too long', '{"at_ms":[1],"cpu":{"percent":[1,2]}}', false],
    ['1,001 instants', `{"at_ms":[${Array.from({ length: 1_001 }, (_, index) => index).join(',')}]}`, false],
  ])('with %s is the same, read so or not', (_, columns, scanned) => {
    const [here, there] = bothOf(bodyOf(columns))
    expect(here).toEqual(there)
    expect(isScanned(bodyOf(columns))).toBe(scanned)
  })

  it.each([
    ['a leading zero', bodyOf('{"at_ms":[1],"cpu":{"percent":[01]}}')],
    ['a point without decimals', bodyOf('{"at_ms":[1],"cpu":{"percent":[1.]}}')],
    [
      'several batches',
      `{"batches":[${bodyOf('{"at_ms":[1],"cpu":{"percent":[1]}}')},${bodyOf('{"at_ms":[2],"cpu":{"percent":[2]}}')}]}`,
    ],
    ['columns beside batches', bodyOf('{"at_ms":[1]}', `,"batches":[${bodyOf('{"at_ms":[2]}')}]`)],
    ['columns twice', bodyOf('{"at_ms":[1]}', ',"columns":5')],
    ['columns where they have no meaning', `{"host":{"columns":{"at_ms":[1]}},${bodyOf('{"at_ms":[1]}').slice(1)}`],
    ['columns and samples', bodyOf('{"at_ms":[1]}', ',"samples":[]')],
    [
      'a text that looks like them',
      JSON.stringify({ ...head, agent_version: '"columns":{"at_ms":[1]}', columns: { at_ms: [1] } }),
    ],
    ['letters of several bytes', bodyOf('{"at_ms":[1]}', ',"boot_id":"é😀"')],
    ['columns in a list', `["columns":{"at_ms":[1]}]`],
    ['its end missing', bodyOf('{"at_ms":[1]}').slice(0, -1)],
  ])('with %s is the same', (_, text) => {
    const [here, there] = bothOf(text)
    expect(here).toEqual(there)
  })

  it('may be made a push twice, as one whose names had no slots yet', () => {
    const body = scanning(bodyOf('{"at_ms":[1],"cpu":{"percent":[5]}}'))
    const first = parse(body)
    expect(parse(body)).toEqual(first)
  })

  it('is read behind a byte order mark', () => {
    const bytes = Buffer.from(`\ufeff${bodyOf('{"at_ms":[1]}')}`)
    expect(parsePushBody(bytes, 3)).toEqual(scanning(bodyOf('{"at_ms":[1]}')))
  })
})
