import { expect, test } from 'vitest'
import { ENTITY_KINDS } from '@vedette/shared'
import { entityFigure, HOST_FIGURES } from './families.ts'
import { chooseFormat, Exposition, type Family, toLabels, toLine } from './format.ts'
import { ownMetric } from './own-metrics.ts'

const PROMETHEUS_2 =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
const PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2'

test.each([
  [undefined, 'text'],
  ['', 'text'],
  ['*/*', 'text'],
  ['text/plain', 'text'],
  ['text/html', 'text'],
  ['application/json', 'text'],
  ['application/openmetrics-text', 'openmetrics'],
  ['application/openmetrics-text; version=0.0.1', 'text'],
  ['application/openmetrics-text; version="1.0.0"; charset=utf-8', 'openmetrics'],
  [PROMETHEUS_2, 'openmetrics'],
  [PROMETHEUS_3, 'openmetrics'],
  ['application/openmetrics-text;q=0.5,text/plain;version=0.0.4', 'text'],
  ['application/openmetrics-text;q=0.5,text/plain;q=0.4', 'openmetrics'],
  // The closer range counts, though another has more weight.
  ['*/*,application/openmetrics-text;q=0.1,text/*;q=0.2', 'text'],
  ['application/openmetrics-text;q=0,*/*', 'text'],
  ['text/plain;q=0,*/*;q=0.5', 'openmetrics'],
  ['application/openmetrics-text;q=x', 'text'],
  ['application/openmetrics-text;q=2', 'text'],
])('Accept: %s is answered in %s', (accept, format) => {
  expect(chooseFormat(accept)).toBe(format)
})

test('every family has its head once, and its lines in one place', () => {
  const load: Family = { name: 'node_load1', type: 'gauge', help: 'Load.' }
  const size: Family = { name: 'disk_bytes', type: 'gauge', help: 'A "size"\\ of\ntwo lines.' }
  const info: Family = { name: 'host_info', type: 'info', help: 'A host.' }
  const own: Family = { name: 'jobs_total', type: 'untyped', help: 'Jobs.' }
  const exposition = new Exposition()
  for (const instance of ['a', 'b'])
    for (const family of [load, size, info, own])
      exposition.add([family, toLine(family, toLabels({ instance }), family === info ? 1 : 0.5)])
  expect(exposition.toText('text')).toBe(
    `# HELP node_load1 Load.
# TYPE node_load1 gauge
node_load1{instance="a"} 0.5
node_load1{instance="b"} 0.5
# HELP disk_bytes A "size"\\\\ of\\ntwo lines.
# TYPE disk_bytes gauge
disk_bytes{instance="a"} 0.5
disk_bytes{instance="b"} 0.5
# HELP host_info A host.
# TYPE host_info gauge
host_info{instance="a"} 1
host_info{instance="b"} 1
# HELP jobs_total Jobs.
# TYPE jobs_total untyped
jobs_total{instance="a"} 0.5
jobs_total{instance="b"} 0.5
`,
  )
  const lines = exposition.toText('openmetrics').split('\n')
  expect(lines.filter((line) => line.startsWith('#'))).toEqual([
    '# TYPE node_load1 gauge',
    '# HELP node_load1 Load.',
    '# TYPE disk_bytes gauge',
    '# UNIT disk_bytes bytes',
    '# HELP disk_bytes A \\"size\\"\\\\ of\\ntwo lines.',
    '# TYPE host info',
    '# HELP host A host.',
    '# TYPE jobs_total unknown',
    '# HELP jobs_total Jobs.',
    '# EOF',
  ])
  expect(lines.at(-1)).toBe('')
})

test('a name has one meaning: of samples or of one field of one kind', () => {
  const names = [...HOST_FIGURES.values()].map(({ family }) => family.name)
  const ofEntities = Object.entries(ENTITY_KINDS).flatMap(([kind, { fields }]) =>
    Object.keys(fields).map((field) => entityFigure(kind as 'container', field)?.family.name),
  )
  const all = [...new Set(names), ...ofEntities]
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([])
  expect(all.filter((name) => !/^[a-z][a-zA-Z0-9_]*$/.test(String(name)))).toEqual([])
})

const HOST = { instance: 'web-1', server_id: 'srv_1' }
const own = (series: string, isTaken = (name: string) => name === 'node_load1') => ownMetric(series, 1, '', HOST, isTaken)?.key

test.each([
  ['queue', 'queue{instance="web-1",server_id="srv_1"}'],
  ['queue{}', 'queue{instance="web-1",server_id="srv_1"}'],
  ['q{b="2",a="1",}', 'q{instance="web-1",server_id="srv_1",a="1",b="2"}'],
  ['q{a="\\"\\\\\\n"}', 'q{instance="web-1",server_id="srv_1",a="\\"\\\\\\n"}'],
  ['q{a="}{,=\u2028"}', 'q{instance="web-1",server_id="srv_1",a="}{,=\u2028"}'],
  ['q{instance="db"}', 'q{instance="web-1",server_id="srv_1",exported_instance="db"}'],
  ['node_load1', undefined],
  ['up', undefined],
  ['scrape_duration_seconds', undefined],
  ['vedette_anything', undefined],
  ['q{a="1",a="2"}', undefined],
  ['q{__name__="node_load1"}', undefined],
  ['q{a=1}', undefined],
  ['q{a="1"b="2"}', undefined],
  ['q{a="1"} 5\nup 0 {b="2"}', undefined],
  ['q 1\nnode_load1', undefined],
  ['9q', undefined],
  ['', undefined],
])('the own metric %j has the series %s', (series, expected) => {
  expect(own(series)).toBe(expected)
})
