import { describe, expect, it } from 'vitest'
import { choicesAt, type Vocabulary, metricsIn, placeAt, withChoice } from './complete.ts'

const VOCABULARY: Vocabulary = {
  metrics: [
    { name: 'node_load1', help: 'Load of one minute' },
    { name: 'probe_success', help: '1 up' },
    { name: 'vedette_cpu_percent', help: 'Busy' },
    { name: 'vedette_cpu_percent:max', help: '' },
  ],
  labels: ['instance', 'monitor_id', 'region'],
  values: ['web-1', 'web-2', 'say "hi"', 'C:\\data'],
}

/** The cursor is at the bar. */
const cursorIn = (marked: string) => ({ text: marked.replace('|', ''), cursor: marked.indexOf('|') })
const placeIn = (marked: string) => {
  const { text, cursor } = cursorIn(marked)
  return placeAt(text, cursor)
}

describe('the completion of a query', () => {
  it.each([
    ['ved|', ['vedette_cpu_percent', 'vedette_cpu_percent:max']],
    ['vedette_cpu_percent|', ['vedette_cpu_percent:max']],
    ['VED|', ['vedette_cpu_percent', 'vedette_cpu_percent:max']],
    ['succ|', ['probe_success']],
    ['sum(pro|)', ['probe_success']],
    ['topk(5, pro|', ['probe_success']],
    ['node_load1 + pro|', ['probe_success']],
    ['rat|', ['rate', 'irate']],
    ['quantil|', ['quantile', 'quantile_over_time', 'histogram_quantile']],
    ['node_load1 unl|', ['unless']],
    ['sum w|', ['without']],
    ['nod|e_load1', ['node_load1']],
    ['# a remark\npro|', ['probe_success']],
    ['probe_success{|', ['instance', 'monitor_id', 'region']],
    ['probe_success{|}', ['instance', 'monitor_id', 'region']],
    ['probe_success{re|}', ['region']],
    ['probe_success{region="eu", in|}', ['instance']],
    ['probe_success{region="eu" |}', []],
    ['probe_success{region|="eu"}', []],
    ['sum by (reg|) (probe_success)', ['region']],
    ['sum BY (instance, |)', ['instance', 'monitor_id', 'region']],
    ['a * on (inst|', ['instance']],
    ['a / group_left (inst|', ['instance']],
    ['probe_success{instance="|"}', ['web-1', 'web-2', 'say "hi"', 'C:\\data']],
    ['probe_success{instance=~"web-2|', []],
    ['probe_success{instance=~"web|', ['web-1', 'web-2']],
    ["probe_success{instance!='web|'}", ['web-1', 'web-2']],
    ['probe_success{instance=`web|`}', ['web-1', 'web-2']],
    ['probe_success{instance="web-1"|}', []],
    ['probe_success[5|m]', []],
    ['probe_success[|', []],
    ['# rat|', []],
    ['12|', []],
    ['label_replace(a, "reg|", "", "", "")', []],
  ])('at %s is %j', (marked, expected) => {
    const place = placeIn(marked)
    expect(place ? choicesAt(place, VOCABULARY).map(({ text }) => text) : []).toEqual(expected)
  })

  it('offers everything, metrics first, where nothing is typed, and at most 50', () => {
    const place = placeIn('|')
    const found = place ? choicesAt(place, VOCABULARY) : []
    expect(found.slice(0, 5).map(({ kind }) => kind)).toEqual(['metric', 'metric', 'metric', 'metric', 'aggregation'])
    expect(found).toHaveLength(50)
  })

  it.each([
    ['sum by (region) (probe_success{instance="a"}) + rate(node_load1[5m])', ['probe_success', 'node_load1']],
    ['a and on (x) b offset 5m', ['a', 'b']],
    ['{__name__="a"}', []],
  ])('the metrics of %s are %j', (text, expected) => expect(metricsIn(text)).toEqual(expected))

  it('knows the metric whose labels and values are wanted', () => {
    expect(placeIn('sum(probe_success{region="|"})')).toMatchObject({ label: 'region', metrics: ['probe_success'] })
    expect(placeIn('{region="|"}')).toMatchObject({ label: 'region', metrics: [] })
    expect(placeIn('sum by (|) (probe_success)')).toMatchObject({ kind: 'label', metrics: ['probe_success'] })
  })

  it.each([
    ['ved|', 'metric', 'vedette_cpu_percent', 'vedette_cpu_percent|'],
    ['1 + nod|e_lo', 'metric', 'node_load1', '1 + node_load1|'],
    ['rat|', 'function', 'rate', 'rate(|'],
    ['su|(a)', 'aggregation', 'sum', 'sum(|a)'],
    ['sum w|', 'keyword', 'without', 'sum without (|'],
    ['a o|', 'keyword', 'or', 'a or|'],
    ['a{|}', 'label', 'region', 'a{region="|"}'],
    ['a{reg|=~"x"}', 'label', 'region', 'a{region|=~"x"}'],
    ['sum by (reg|)', 'label', 'region', 'sum by (region|)'],
    ['a{b="we|"}', 'value', 'web-1', 'a{b="web-1"|}'],
    ['a{b="we|', 'value', 'web-1', 'a{b="web-1"|'],
    ['a{b="|"}', 'value', 'say "hi"', 'a{b="say \\"hi\\""|}'],
    ["a{b='|'}", 'value', 'C:\\data', "a{b='C:\\\\data'|}"],
    ['a{b=`|`}', 'value', 'C:\\data', 'a{b=`C:\\data`|}'],
  ] as const)('%s takes the %s %s as %s', (marked, kind, chosen, expected) => {
    const { text, cursor } = cursorIn(marked)
    const place = placeAt(text, cursor)
    if (!place) throw new Error('nothing to complete')
    const result = withChoice(text, place, { kind, text: chosen })
    expect(`${result.text.slice(0, result.cursor)}|${result.text.slice(result.cursor)}`).toBe(expected)
  })
})
