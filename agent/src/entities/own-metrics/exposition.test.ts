import { describe, expect, test } from 'vitest'
import { parseExposition } from './exposition.ts'

const values = (text: string) => Object.fromEntries(parseExposition(text).series.map(({ name, value }) => [name, value]))

describe('parseExposition', () => {
  test('reads the example of the documentation of the format', () => {
    const text = `# HELP http_requests_total The total number of HTTP requests.
# TYPE http_requests_total counter
http_requests_total{method="post",code="200"} 1027 1395066363000
http_requests_total{method="post",code="400"}    3 1395066363000

# Escaping in label values:
msdos_file_access_time_seconds{path="C:\\\\DIR\\\\FILE.TXT",error="Cannot find file:\\n\\"FILE.TXT\\""} 1.458255915e9

# Minimalistic line:
metric_without_timestamp_and_labels 12.47

# A weird metric from before the epoch:
something_weird{problem="division by zero"} +Inf -3982045

# TYPE http_request_duration_seconds histogram
http_request_duration_seconds_bucket{le="0.05"} 24054
http_request_duration_seconds_sum 53423
http_request_duration_seconds_count 144320
`
    const { series, faults } = parseExposition(text)
    expect(faults).toEqual([])
    expect(series.map(({ name, value }) => [name, value])).toEqual([
      ['http_requests_total{code="200",method="post"}', 1027],
      ['http_requests_total{code="400",method="post"}', 3],
      ['msdos_file_access_time_seconds{error="Cannot find file:\\n\\"FILE.TXT\\"",path="C:\\\\DIR\\\\FILE.TXT"}', 1_458_255_915],
      ['metric_without_timestamp_and_labels', 12.47],
      ['http_request_duration_seconds_bucket{le="0.05"}', 24_054],
      ['http_request_duration_seconds_sum', 53_423],
      ['http_request_duration_seconds_count', 144_320],
    ])
    expect(series[0]).toMatchObject({ type: 'counter', help: 'The total number of HTTP requests.' })
    expect(series[4]).toMatchObject({ type: 'histogram', help: undefined })
  })

  test('takes any spacing, a comma after the last label, no label, and numbers in each form', () => {
    expect(values('a{ b = "1" , c="2", }  -1.5e-3\r\n\tb{}\t.5\nc 1e999\nd NaN\ne +4')).toEqual({
      'a{b="1",c="2"}': -0.0015,
      b: 0.5,
      e: 4,
    })
    expect(values('')).toEqual({})
  })

  test.each([
    ['a 1\n1a 2', 'line 2: must begin with the name of a metric'],
    ['a', 'line 1: has no value'],
    ['a 1 2 3', 'line 1: has no value'],
    ['a 0x10', 'line 1: has no value'],
    ['a{b="1" 2', 'line 1: labels must be separated by commas'],
    ['a{b=1} 2', 'line 1: a label must have the form name="value"'],
    ['a{b="1",b="2"} 2', 'line 1: a label is there twice'],
    ['a{b="1"} 1\na{b="1"} 2', 'line 2: the series is there twice'],
    ['# TYPE a thing', 'line 1: the type is unknown'],
    [`a{b="${'x'.repeat(256)}"} 1`, 'line 1: name and labels are longer than 256 characters'],
  ])('leaves out the faulty line of %j alone', (text, message) => {
    const { series, faults } = parseExposition(`before 1\n${text}\nafter 2`)
    expect(faults.map((fault) => fault.message)).toEqual([message.replace(/\d+/, (line) => String(Number(line) + 1))])
    expect(series.map(({ name }) => name)).toEqual(expect.arrayContaining(['before', 'after']))
  })
})
