import { describe, expect, it } from 'vitest'
import { decimalOf, labelNameOf, type MetricKind, metricNameOf, unitNameOf } from '../otlp/names.ts'

// The expected names are those of the tests of prometheus/otlptranslator.
describe('the name of a metric of OTLP', () => {
  it.each<[string, string, MetricKind, string, string]>([
    ['requests', '', 'monotonic sum', 'requests_total', ''],
    ['requests_total', '', 'monotonic sum', 'requests_total', ''],
    ['total.requests', '', 'monotonic sum', 'requests_total', ''],
    ['items', '1', 'monotonic sum', 'items_total', ''],
    ['cpu_usage', '1', 'gauge', 'cpu_usage_ratio', ''],
    ['cpu_usage_ratio', '1', 'gauge', 'cpu_usage_ratio', ''],
    ['active_connections', '1', 'sum', 'active_connections', ''],
    ['response_time', 'ms', 'gauge', 'response_time_milliseconds', 'milliseconds'],
    ['response_time_seconds', 's', 'gauge', 'response_time_seconds', 'seconds'],
    ['memory_usage', 'By', 'gauge', 'memory_usage_bytes', 'bytes'],
    ['system.memory.usage', 'By', 'sum', 'system_memory_usage_bytes', 'bytes'],
    ['system.cpu.time', 's', 'monotonic sum', 'system_cpu_time_seconds_total', 'seconds'],
    ['requests', '1/s', 'gauge', 'requests_per_second', 'per_second'],
    ['throughput', 'By/s', 'gauge', 'throughput_bytes_per_second', 'bytes_per_second'],
    ['custom_metric', 'custom_unit', 'gauge', 'custom_metric_custom_unit', 'custom_unit'],
    ['custom_metric', '{custom}', 'gauge', 'custom_metric', ''],
    ['custom_metric', 'By/{custom}', 'gauge', 'custom_metric_bytes', 'bytes'],
    [
      'custom_metric',
      'unit@with#special/chars',
      'gauge',
      'custom_metric_unit_with_special_per_chars',
      'unit_with_special_per_chars',
    ],
    [
      'metric__with__multiple__underscores',
      'unit__multiple__underscores',
      'gauge',
      'metric_with_multiple_underscores_unit_multiple_underscores',
      'unit_multiple_underscores',
    ],
    ['http.server.request.duration', 's', 'histogram', 'http_server_request_duration_seconds', 'seconds'],
    ['rule:with.colons', '%', 'summary', 'rule:with_colons_percent', 'percent'],
    ['uptime', 'd', 'gauge', 'uptime_days', 'days'],
    ['speed', 'm/h', 'gauge', 'speed_meters_per_hour', 'meters_per_hour'],
    ['123metric', '', 'gauge', '_123metric', ''],
    ['métric', '', 'gauge', 'm_tric', ''],
    ['@#$%', '', 'gauge', '', ''],
    ['', '', 'gauge', '', ''],
  ])('%s in %s as %s is %s', (name, unit, kind, expected, expectedUnit) => {
    expect([metricNameOf(name, unit, kind), unitNameOf(unit)]).toEqual([expected, expectedUnit])
  })
})

describe('the name of a label of OTLP', () => {
  it.each([
    ['http.method', 'http_method'],
    ['label:with:colons', 'label_with_colons'],
    ['LabelWithCapitalLetters', 'LabelWithCapitalLetters'],
    ['label!with&special$chars)', 'label_with_special_chars_'],
    ['label_with_foreign_characters_字符', 'label_with_foreign_characters___'],
    ['123label', 'key_123label'],
    ['_one', 'key_one'],
    ['__two', '__two'],
    ['ようこそ', ''],
    ['😀', ''],
    ['', ''],
  ])('%s is %s', (key, expected) => {
    expect(labelNameOf(key)).toBe(expected)
  })
})

it.each([
  [0, '0'],
  [0.005, '0.005'],
  [5, '5'],
  [1e-7, '0.0000001'],
  [-1.25e-9, '-0.00000000125'],
  [1e21, '1000000000000000000000'],
  [1.5e22, '15000000000000000000000'],
  [Number.POSITIVE_INFINITY, '+Inf'],
  [Number.NEGATIVE_INFINITY, '-Inf'],
])('%d in decimals is %s', (value, expected) => {
  expect(decimalOf(value)).toBe(expected)
})
