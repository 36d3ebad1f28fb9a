import type { IncidentItem } from '@vedette/shared'
import { expect, it } from 'vitest'
import { openingOf } from './sample.ts'
import { groupText } from './texts.ts'

const example = openingOf().data['incident'] as IncidentItem
const incidents = (count: number, severity: IncidentItem['severity'] = 'warning'): IncidentItem[] =>
  Array.from({ length: count }, (_, index) => ({ ...example, severity, summary: `m${index} is down` }))

it('a message about several incidents lists them, with the tone of the most severe', () => {
  expect(groupText('incident.opened', [...incidents(1, 'info'), ...incidents(1, 'critical')], 2)).toEqual({
    title: '2 incidents opened',
    lines: ['info: m0 is down', 'critical: m0 is down'],
    tone: 'critical',
  })
})

it('a message about many incidents lists 20 and says how many more there are', () => {
  const { title, lines, tone } = groupText('incident.resolved', incidents(100), 130)
  expect([title, lines.length, lines.at(-1), tone]).toEqual(['130 incidents resolved', 21, 'and 110 more', 'resolved'])
})

it('a long summary is cut to one short line of the list', () => {
  const [line = ''] = groupText('incident.opened', [{ ...example, summary: `a\n${'b'.repeat(500)}` }], 1).lines
  expect([line.length, line.includes('\n'), line.endsWith('…')]).toEqual([200, false, true])
})
