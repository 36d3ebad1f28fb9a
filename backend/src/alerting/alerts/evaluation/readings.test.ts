import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changedAt, evaluateReadings, readingsSince } from './readings.ts'

const RULE = { operator: 'greater_than', value: 90, clear_value: 80 } as const
const resultsOf = (wasOpen: boolean, ...values: (number | undefined)[]) =>
  evaluateReadings(
    RULE,
    wasOpen,
    values.map((value) => ({ value })),
  ).transitions.map(({ result, reading }) => `${result} ${reading.value}`)

describe('readings that are evaluated together', () => {
  it.each<[string, boolean, (number | undefined)[], string[]]>([
    ['open with the first above the threshold', false, [50, 95, 99], ['opened 95']],
    ['open and resolve for a value that came and went', false, [95, 85, 80], ['opened 95', 'resolved 80']],
    ['resolve once one is back, whatever the others are', true, [85, 70, 85], ['resolved 70']],
    ['open again after a recovery', true, [70, 95], ['resolved 70', 'opened 95']],
    ['resolve nothing between both thresholds', true, [85, 90, 81], []],
    ['change nothing where they are unknown', true, [undefined, undefined], []],
    ['change nothing where there are none', true, [], []],
  ])('%s', (_, wasOpen, values, expected) => expect(resultsOf(wasOpen, ...values)).toEqual(expected))

  it('give the same in any grouping as one by one', () => {
    const value = fc.option(fc.integer({ min: 0, max: 10 }), { nil: undefined })
    const rule = fc.record({
      operator: fc.constantFrom('greater_than', 'less_than', 'equals'),
      value: fc.integer({ min: 0, max: 10 }),
      clear_value: fc.option(fc.integer({ min: 0, max: 10 })),
    })
    fc.assert(
      fc.property(rule, fc.boolean(), fc.array(fc.array(value, { maxLength: 5 }), { maxLength: 8 }), (rule, wasOpen, groups) => {
        const readings = groups.map((group) => group.map((each) => ({ value: each })))
        const inGroups = (parts: readonly { value: number | undefined }[][]) => {
          let isOpen = wasOpen
          const transitions = parts.flatMap((part) => {
            const evaluated = evaluateReadings(rule, isOpen, part)
            isOpen = evaluated.isOpen
            return evaluated.transitions
          })
          return { isOpen, transitions }
        }
        const oneByOne = inGroups(readings.flat().map((one) => [one]))
        expect(inGroups(readings)).toEqual(oneByOne)
        expect(evaluateReadings(rule, wasOpen, readings.flat())).toEqual(oneByOne)
        // What is evaluated again from where it ended changes nothing: nothing after the last transition opens or resolves.
        const last = readings.flat().slice(-1)
        expect(evaluateReadings(rule, oneByOne.isOpen, last).transitions).toEqual([])
      }),
    )
  })
})

describe('the readings of a rule', () => {
  const received = (...ms: number[]) => ms.map((receivedAtMs) => ({ receivedAtMs }))
  it.each([
    ['are all where it is older', 0, received(1, 2, 3), received(1, 2, 3)],
    ['begin with its definition', 2, received(1, 2, 3), received(2, 3)],
    ['are the newest where all are older', 9, received(1, 2, 3), received(3)],
    ['are not held back by a definition in the future', 99, received(9, 10), received(9, 10)],
    ['are none where there are none', 0, [], []],
  ])('%s', (_, definedMs, readings, expected) => expect(readingsSince(definedMs, readings, 10)).toEqual(expected))
})

it.each<[string, number | undefined, number]>([
  ['now, for a push that was received before', 99_000, 100_000],
  ['now, for what no push caused', undefined, 100_000],
  ['at the receipt, by an instance whose clock is ahead', 101_500, 101_500],
  ['now, where that clock was wrong', 110_001, 100_000],
])('an incident changes %s', (_, receivedAtMs, atMs) => expect(changedAt(100_000, receivedAtMs)).toBe(atMs))
