import type { IncidentStory } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { translate } from '../../../platform/language/index.ts'
import { toPostMortem } from './post-mortem.ts'
import { changeText, type Occurrence, toTimeline } from './timeline.ts'

const START = Date.parse('2026-11-21T09:00:00Z')
const at = (seconds: number, kind: Occurrence['kind'], own: Partial<Occurrence> = {}): Occurrence => ({
  atMs: START + seconds * 1000,
  kind,
  text: kind,
  targetName: null,
  actor: null,
  url: null,
  ...own,
})

describe('the line of time of a story', () => {
  it('is empty where nothing happened', () => {
    expect(toTimeline([])).toEqual({ events: [], has_more: false })
  })

  it('has one entry for what 116 servers do within a minute of each other, the oldest first', () => {
    const opened = Array.from({ length: 116 }, (_, index) =>
      at(index, 'opened', { text: `web-${index} is offline`, targetName: `web-${index}` }),
    )
    const { events } = toTimeline([
      at(400, 'comment', { text: 'The switch' }),
      ...opened,
      at(-600, 'annotation', { text: 'Deployed' }),
    ])
    expect(events.map(({ kind, count }) => [kind, count])).toEqual([
      ['annotation', 1],
      ['opened', 116],
      ['comment', 1],
    ])
    expect(events[1]).toMatchObject({
      at: '2026-11-21T09:00:00.000Z',
      text: 'web-0 is offline',
      targets: ['web-0', 'web-1', 'web-2'],
    })
  })

  it('keeps apart what is more than a minute apart, what other people did, comments and notifications', () => {
    const { events } = toTimeline([
      at(0, 'opened'),
      at(60, 'opened'),
      at(121, 'opened'),
      at(200, 'acknowledged', { actor: 'ada' }),
      at(201, 'acknowledged', { actor: 'bob' }),
      at(300, 'comment'),
      at(300, 'comment'),
      at(310, 'notified'),
      at(311, 'notified'),
    ])
    expect(events.map(({ count }) => count)).toEqual([2, 1, 1, 1, 1, 1, 1, 1])
  })

  it('keeps the first and the last of too many', () => {
    const { events, has_more: hasMore } = toTimeline(
      Array.from({ length: 1_000 }, (_, index) => at(index, 'comment', { text: `${index}` })),
    )
    expect([hasMore, events.length, events[0]?.text, events.at(-1)?.text]).toEqual([true, 500, '0', '999'])
  })
})

it.each([
  ['monitor.updated', 'Monitor updated', 'Monitor geändert'],
  ['alert_rule.created', 'Alert rule created', 'Regel angelegt'],
  ['server.token_regenerated', 'Server token regenerated', 'Server mit neuem Token'],
])('%s is "%s", in German "%s"', (action, text, german) => {
  expect(changeText(action)).toBe(text)
  expect(translate(text, 'de')).toBe(german)
})

describe('a post-mortem', () => {
  const { events } = toTimeline([
    at(-600, 'annotation', { text: 'Deployed <shop>', url: 'https://ci.example.com/1' }),
    at(-60, 'change', { text: 'Monitor updated', targetName: 'Shop' }),
    at(0, 'opened', { text: 'a', targetName: 'web|1' }),
    at(1, 'opened', { text: 'b', targetName: 'web-2' }),
    at(60, 'acknowledged', { text: 'acknowledged', actor: 'ada@example.com' }),
    at(90, 'comment', { text: '# not a heading\n- nor a list', actor: 'ada@example.com' }),
  ])
  const story: IncidentStory = {
    incident_id: 'inc_1',
    story_id: null,
    title: 'Shop is down: *boom*',
    cause: null,
    status: 'resolved',
    severity: 'critical',
    opened_at: '2026-11-21T09:00:00.000Z',
    resolved_at: '2026-11-21T10:30:00.000Z',
    incident_count: 2,
    affected: { total: 2, targets: [{ type: 'server', id: 'srv_1', name: 'web|1' }] },
    notified: [{ name: 'ops', type: 'slack' }],
    events,
    has_more: false,
  }

  it('says what is known, and escapes the texts of others', () => {
    const lines = toPostMortem(story).split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        '# Shop is down: \\*boom\\*',
        '| Began | 2026-11-21 09:00:00 |',
        '| Acknowledged | 2026-11-21 09:01:00 |',
        '| Duration | 1 h 30 min |',
        '- web\\|1 (server)',
        '- and 1 more',
        '- 2026-11-21 08:50:00 **Annotation** Deployed \\<shop\\> <https://ci.example.com/1>',
        '- 2026-11-21 08:59:00 **Change** Monitor updated: Shop',
        '- 2026-11-21 09:00:00 **Opened** 2 times: web\\|1, web\\-2',
        '- 2026-11-21 09:01:30 **Comment** \\# not a heading \\- nor a list (ada@example.com)',
        '- ops (slack)',
        '## What we change',
      ]),
    )
    expect(lines.filter((line) => line.startsWith('# '))).toHaveLength(1)
  })

  it('is in German with the texts of people as they are', () => {
    const text = toPostMortem({ ...story, title: 'Shop is down: status 503 (expected 200–399)' }, 'de')
    expect(text).toContain('# Shop: ausgefallen: Status 503 \\(erwartet 200–399\\)')
    expect(text).toContain('**Kommentar** \\# not a heading \\- nor a list (ada@example.com)')
    const words = /\b(?:What|was|resolved|acknowledged|server|times|opened|the|nobody|written|change)\b/
    expect(text.replaceAll(/^.*\*\*(?:Kommentar|Änderung|Anmerkung)\*\*.*$/gm, '')).not.toMatch(words)
  })

  it('says what is not over, and that nobody was notified', () => {
    const text = toPostMortem({ ...story, resolved_at: null, notified: [], events: [] })
    expect(text).toContain('| Resolved | no |\n| Duration | not resolved |')
    expect(text).toContain('## Who was notified\n\n- nobody\n')
  })
})
