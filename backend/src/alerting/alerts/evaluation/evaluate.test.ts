import { describe, expect, it } from 'vitest'
import { evaluate, CLOSED, type RuleState } from './evaluate.ts'

const above = { operator: 'greater_than', value: 90, clear_value: null, for_seconds: 0 } as const
const below = { operator: 'less_than', value: 14, clear_value: null, for_seconds: 0 } as const
const down = { operator: 'equals', value: 'down', clear_value: null, for_seconds: 0 } as const

/** Values ten seconds apart; what each of them does: opens, resolves or neither. */
function run(rule: Parameters<typeof evaluate>[0], values: readonly (string | number | undefined)[]): string {
  let state: RuleState = CLOSED
  return values
    .map((value, index) => {
      const { state: next, result } = evaluate(rule, state, value, index * 10_000)
      state = next
      return result === undefined ? '-' : result === 'opened' ? 'O' : 'R'
    })
    .join('')
}

describe('a rule', () => {
  it.each([
    ['opens above the value, not at it', above, [90, 90.01], '-O'],
    ['opens below the value, not at it', below, [14, 13.9], '-O'],
    ['opens once while it holds', above, [91, 95, 92], 'O--'],
    ['resolves at the value itself', above, [91, 90], 'OR'],
    ['resolves at the value itself, from below', below, [13, 14], 'OR'],
    ['opens again after it was resolved', above, [91, 80, 91], 'ORO'],
    ['resolves at clear_value and not before', { ...above, clear_value: 80 }, [91, 85, 80.01, 80], 'O--R'],
    ['resolves at clear_value from below', { ...below, clear_value: 20 }, [13, 19.9, 20], 'O-R'],
    ['stays the same incident between clear_value and value', { ...above, clear_value: 80 }, [91, 85, 95, 85, 79], 'O---R'],
    ['does not open between clear_value and value', { ...above, clear_value: 80 }, [85, 89], '--'],
    ['opens once the condition has held for the duration [ALERT-06]', { ...above, for_seconds: 20 }, [91, 91, 91, 91], '--O-'],
    [
      'restarts the duration after a value below the threshold',
      { ...above, for_seconds: 20 },
      [91, 91, 89, 91, 91, 91],
      '-----O',
    ],
    ['resolves at once, whatever it waited for', { ...above, for_seconds: 20 }, [91, 91, 91, 89], '--OR'],
    ['is opened by no unknown value', above, [undefined, undefined], '--'],
    ['is resolved by no unknown value', above, [91, undefined, undefined], 'O--'],
    ['counts on over an unknown value', { ...above, for_seconds: 20 }, [91, undefined, 91], '--O'],
    ['goes by words', down, ['up', 'down', 'down', 'degraded'], '-O-R'],
    ['waits for a status too', { ...down, for_seconds: 10 }, ['down', 'down', 'up'], '-OR'],
    ['distinguishes text from a number', { ...down, value: 1 }, ['1', 1], '-O'],
    ['takes no word for a number', above, ['95'], '-'],
  ] as const)('%s', (_, rule, values, results) => expect(run(rule, values)).toBe(results))
})
