import { describe, expect, it } from 'vitest'
import { readAnswer, seriesId, seriesText, valueText } from './answer.ts'
import { evaluateSeries, isChange, type SeriesState } from './evaluate-series.ts'
import { expressionFault } from '../rules/expression.ts'
import { previewSeries, stepOf } from './preview-series.ts'
import { subjectOf } from './subjects.ts'

const rule = (for_seconds: number) => ({ operator: 'equals', value: 1, clear_value: null, for_seconds }) as const

/** Evaluates answers a minute apart; each is the series in it, undefined where the evaluation failed. */
function run(forSeconds: number, answers: readonly (string | undefined)[]) {
  let state: SeriesState = { since: new Map(), open: new Set() }
  return answers.map((answer, minute) => {
    if (answer === undefined) return ''
    const { since, opened, resolved } = evaluateSeries(rule(forSeconds), state, new Set(answer), minute * 60_000)
    const gone = new Set(resolved)
    state = { since, open: new Set([...state.open, ...opened].filter((id) => !gone.has(id))) }
    return [...opened.map((id) => `+${id}`), ...resolved.map((id) => `-${id}`)].join(' ')
  })
}

describe('each series in an answer is a thing of its own', () => {
  it.each<[string, number, (string | undefined)[], string[]]>([
    ['it opens at once, and resolves when it leaves', 0, ['', 'ab', 'b', ''], ['', '+a +b', '-a', '-b']],
    ['it must have been in the answer for the duration', 120, ['a', 'ab', 'ab', 'b'], ['', '', '+a', '+b -a']],
    ['a duration begins again after it left', 120, ['a', '', 'a', 'a', 'a'], ['', '', '', '', '+a']],
    ['exactly at the duration is enough', 60, ['a', 'a'], ['', '+a']],
    ['an evaluation that failed opens and resolves nothing', 60, ['a', undefined, 'a', undefined, 'a'], ['', '', '+a', '', '']],
    ['one that stays stays one incident', 0, ['a', 'a', 'a'], ['+a', '', '']],
  ])('%s', (_, forSeconds, answers, steps) => expect(run(forSeconds, answers)).toEqual(steps))

  it('an incident that is open already is not opened again after a restart, and still resolves', () => {
    const restarted: SeriesState = { since: new Map(), open: new Set(['a']) }
    expect(evaluateSeries(rule(300), restarted, new Set(['a']), 0)).toEqual({
      since: new Map([['a', 0]]),
      opened: [],
      resolved: [],
    })
    expect(evaluateSeries(rule(300), restarted, new Set(), 0).resolved).toEqual(['a'])
  })

  it('an answer that changes nothing stores nothing', () => {
    const state: SeriesState = { since: new Map([['a', 5]]), open: new Set(['a']) }
    const changes = (...answer: string[]) => isChange(state, evaluateSeries(rule(60), state, new Set(answer), 60_000))
    expect([changes('a'), changes('a', 'b'), changes()]).toEqual([false, true, true])
  })
})

describe('the identity of a series', () => {
  const labels = { __name__: 'up', job: 'api', instance: 'a:9100' }

  it('is its labels in any order without its name', () => {
    expect(seriesId(labels)).toBe(seriesId({ instance: 'a:9100', job: 'api' }))
    expect(seriesId(labels)).not.toBe(seriesId({ ...labels, job: 'web' }))
    expect(seriesId({ a: 'b", c="d' })).not.toBe(seriesId({ a: 'b', c: 'd' }))
  })

  it('is written as in PromQL, and cut', () => {
    expect(seriesText(labels, { withName: true })).toBe('up{instance="a:9100", job="api"}')
    expect(seriesText({ __name__: 'up', a: '"' }, { withName: false })).toBe('{a="\\""}')
    expect(seriesText({}, { withName: true })).toBe('')
    expect(seriesText({ a: 'x'.repeat(500) }, { withName: true })).toHaveLength(300)
  })

  it.each([
    [0, '0'],
    [1 / 3, '0.333333'],
    [1_234_567, '1234570'],
    [Number.NaN, 'NaN'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
  ])('the value %d is written as %s', (value, text) => expect(valueText(value)).toBe(text))
})

describe('an answer that a rule cannot be evaluated on is said in words', () => {
  const answer = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ labels: { n: String(index) }, points: [{ atMs: 0, value: 1 }] }))

  it('more than 100 series', () => {
    expect(readAnswer(answer(100))).toBeInstanceOf(Map)
    expect(readAnswer(answer(101))).toMatch(/^the expression gives more than 100 series/)
  })

  it('series that differ by name only', () => {
    const named = (name: string) => ({ labels: { __name__: name, a: 'b' }, points: [{ atMs: 0, value: 1 }] })
    expect(readAnswer([named('one'), named('two')])).toMatch(
      /several series with the labels \{a="b"\}, which differ by name only/,
    )
  })
})

describe('the expression of a rule', () => {
  it.each([
    ['up == 0', /^$/],
    ['vector(1)', /^$/],
    ['up ==', /^is no PromQL: 1:6: parse error/],
    ['up\n== )', /^is no PromQL: 2:4: parse error/],
    ['1 + 1', /^must give series, and gives a number/],
    ['"a"', /^must give series, and gives a text/],
    ['up[5m]', /^must give series at an instant, and gives ranges/],
    ['nosuch(up)', /^is no PromQL: .*nosuch/],
  ])('%j', (expression, fault) => {
    expect(expressionFault(expression) ?? '').toMatch(fault)
  })
})

describe('a preview', () => {
  const at = (...minutes: number[]) => minutes.map((minute) => ({ atMs: minute * 60_000, value: 1 }))
  const window = { startMs: 0, endMs: 300_000, stepMs: 60_000 }

  it('lists what the evaluation would have opened and resolved for each series', () => {
    const series = [
      { labels: { n: 'a' }, points: at(0, 1, 2, 4, 5) },
      { labels: { n: 'b' }, points: at(3) },
    ]
    expect(previewSeries(rule(60), series, window)).toEqual([
      { labels: { n: 'a' }, openedAtMs: 60_000, resolvedAtMs: 180_000 },
      { labels: { n: 'a' }, openedAtMs: 300_000, resolvedAtMs: null },
    ])
  })

  it('opens and resolves nothing where there are too many series', () => {
    const one = { labels: { n: 'first' }, points: at(0, 1, 2) }
    const many = Array.from({ length: 100 }, (_, index) => ({ labels: { n: String(index) }, points: at(1) }))
    expect(previewSeries(rule(0), [one, ...many], window)).toEqual([
      { labels: { n: 'first' }, openedAtMs: 0, resolvedAtMs: 180_000 },
    ])
  })

  it.each([
    [30, 330],
    [60, 360],
    [300, 600],
  ])('of evaluations %d s apart over seven days has steps of %d s', (everySeconds, stepSeconds) => {
    expect(stepOf(everySeconds, 7 * 86_400_000)).toBe(stepSeconds * 1_000)
    expect((7 * 86_400) / stepSeconds).toBeLessThanOrEqual(2_000)
  })
})

describe('the host or monitor that a series is about', () => {
  const ID = '01890a5d-ac96-774b-bcce-b302099a8057'
  const named = (type: 'monitor' | 'server', name: string, id = ID) => ({ type, id, name, number: 1, tags: [], server_id: null })

  it('has the id in its labels, or alone the name', () => {
    const [host, shop] = [named('server', 'web-1'), named('monitor', 'Shop', ID.replace('01', '02'))]
    expect(subjectOf({ server_id: 'srv_01h455vb4pex5vsknk084sn02q', instance: 'renamed' }, [host, shop])).toBe(host)
    expect(subjectOf({ instance: 'Shop' }, [host, shop])).toBe(shop)
    expect(subjectOf({ instance: 'web-1' }, [host, named('monitor', 'web-1')])).toBeUndefined()
    expect(subjectOf({ job: 'api' }, [host, shop])).toBeUndefined()
  })
})
