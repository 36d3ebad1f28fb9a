import type { Assertion } from '@vedette/shared'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { validatePatterns } from '../index.ts'
import { MAX_COMPILE_COST } from '../pattern.ts'
import { compileCost } from '../../../../platform/patterns/pattern-cost.ts'

const LONGEST = 1_024
const filled = (part: string, start = '', end = '') =>
  start + part.repeat(Math.floor((LONGEST - start.length - end.length) / part.length)) + end
const last = String.fromCodePoint(0x1e942)

/** Each of them holds the engine for 20 ms to a second, where it is compiled. */
const WORST = {
  repeats: filled('a{1000}'),
  'nested repeats': filled('(a{10}){100}'),
  'repeats of empty groups': filled('(?:){1000}'),
  'optional repeats': filled('(?:a?){0,1000}'),
  'open repeats': filled('a{999,}'),
  'repeated classes': filled('\\pL{1000}'),
  'merged classes': filled('\\pL|', '', 'x'),
  'folded classes': filled('\\pL', '(?i)'),
  'folded sets of classes': filled('[\\pL\\pM\\p{N}\\p{Greek}]', '(?i)'),
  'folded classes in groups': filled('(?i:\\pL|\\pM)'),
  'wide ranges without case': filled(`B-${last}`, '(?i)[', ']'),
  'wide ranges by their numbers': filled('\\x{42}-\\x{1e942}', '(?i)[', ']'),
  'wide ranges without case, late': filled(`[B-${last}]`, '', '(?i:a)'),
  'wide ranges and other flags': filled(`B-${last}`, '(?s-m)(?mi)[', ']'),
}

afterEach(() => void vi.restoreAllMocks())

const matching = (value: string): Assertion => ({ type: 'body', operator: 'matches', value })
const compiledIn = (spy: { mock: { calls: unknown[][] } }) => spy.mock.calls.map(([source]) => String(source))
const costOf = (sources: readonly string[]) => sources.reduce((sum, source) => sum + compileCost(source), 0)

describe('the twenty patterns of a definition', () => {
  test.each(Object.entries(WORST))('%s are refused, and none of them is compiled', (_name, source) => {
    const compile = vi.spyOn(RE2JS, 'compile')
    const faults = validatePatterns(Array.from({ length: 20 }, () => matching(source)))
    expect(faults.map(({ path }) => path)).toEqual(Array.from({ length: 20 }, (_, n) => `assertions.${n}.value`))
    expect(faults[0]?.message).toMatch(/^the pattern is too large: fewer repeats/)
    expect(compiledIn(compile)).toEqual([])
  })

  test('that are valid alone are compiled once each until the budget is spent', () => {
    const compile = vi.spyOn(RE2JS, 'compile')
    const large = `[${'\\pL'.repeat(15)}]`
    const faults = validatePatterns(Array.from({ length: 20 }, () => matching(large)))
    expect(costOf(compiledIn(compile))).toBeLessThanOrEqual(MAX_COMPILE_COST)
    expect(compiledIn(compile)).toHaveLength(3)
    expect(faults.map(({ path }) => path)).toEqual(Array.from({ length: 17 }, (_, n) => `assertions.${n + 3}.value`))
  })

  test('of a usual kind are compiled once each and are valid', () => {
    const compile = vi.spyOn(RE2JS, 'compile')
    const usual = [
      '(?i)\\bversion: *\\d+(\\.\\d+){2}',
      '[\\p{L}\\p{N}_.-]{1,64}@example\\.com',
      '(?i)[а-яё]+',
      '^[^<]*<title>',
      '\\Qa+b\\E',
    ]
    expect(validatePatterns(usual.map(matching))).toEqual([])
    expect(compiledIn(compile)).toEqual(usual)
  })
})

describe('the estimated cost', () => {
  test.each(Object.entries(WORST))('of %s is above the bound', (_name, source) => {
    expect(source.length).toBeGreaterThan(LONGEST - 32)
    expect(compileCost(source)).toBeGreaterThan(MAX_COMPILE_COST)
  })

  const atom = fc.constantFrom(
    'a',
    '.',
    '\\d',
    '\\pL',
    '[a-z]',
    '[^]x]',
    '[[:alpha:]-]',
    '\\x{41}',
    '\\Qa|b\\E',
    '^',
    '\\b',
    'é',
    '😀',
    '[\\]]',
    '\\{',
  )
  const repeat = fc.constantFrom('', '', '*', '+?', '{3}', '{2,7}', '{4,}', '{0,9}?', '{,3}', '{x}')
  const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
    pattern: fc.array(tie('piece'), { maxLength: 6 }).map((pieces) => pieces.join('')),
    piece: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.tuple(atom, repeat).map(([one, times]) => one + times),
      fc
        .tuple(
          fc.constantFrom('(', '(?:', '(?i:', '(?P<n>', '(?i)(', '(?<m>'),
          tie('pattern'),
          fc.constantFrom(')', '|b)', '|)'),
          repeat,
        )
        .map((parts) => parts.join('')),
    ),
  }))

  test('is at least half of the instructions of the program', () => {
    let compiled = 0
    fc.assert(
      fc.property(pattern, (source) => {
        let size: number
        try {
          size = RE2JS.compile(source).programSize()
        } catch {
          return
        }
        compiled += 1
        // An empty pattern has three.
        expect(2 * compileCost(source)).toBeGreaterThanOrEqual(size - 3)
      }),
      { numRuns: 2_000, seed: 7 },
    )
    expect(compiled).toBeGreaterThan(500)
  })

  test.each(['', '(', ')', '[', '[^', '\\', '{', '{3}', '(?', '\\p', '\\p{', '\\x{', '[a-', '\\Q', '*', '\uD800', '[\uD800-'])(
    'of the invalid pattern %j is a number',
    (source) => {
      expect(compileCost(source)).toBeGreaterThanOrEqual(0)
    },
  )
})
