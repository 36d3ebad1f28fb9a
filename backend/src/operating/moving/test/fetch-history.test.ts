import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ALERT_HISTORY_DAYS, DAY_MS } from '@vedette/shared'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { ACCOUNTS, NOW, type SavedAccount } from '../../../../test/on-call-tools/accounts.ts'
import { type ReceivedRequest, type Respond, startDouble } from '../../../../test/on-call-tools/api-doubles.ts'
import type { ApiClient } from '../api.ts'
import { fetchInto } from '../fetch/fetch.ts'
import { readPast } from '../fetch/past.ts'
import { readSourceFiles } from '../files.ts'
import { type Tool, TOOLS } from '../index.ts'

const root = mkdtempSync(join(tmpdir(), 'vedette-history-'))
afterAll(() => rmSync(root, { recursive: true }))

const iso = (ms: number) => new Date(ms).toISOString()

describe('a list of what has happened', () => {
  const RANGE = { fromMs: NOW - ALERT_HISTORY_DAYS * DAY_MS, toMs: NOW }
  const PAGE = 10

  /** Answers `/<from>/<to>/<offset>`, as an API that refuses what is behind `most`. */
  function clientOf(instants: readonly number[], most: number) {
    const requests: string[] = []
    const missed: string[] = []
    const answer = async (path: string): Promise<unknown> => {
      requests.push(path)
      const [from, to, offset] = path.split('/').slice(1).map(Number) as [number, number, number]
      if (offset + PAGE > most) throw new Error('the API gives out no more')
      const all = instants.flatMap((at, id) => (from <= at && at < to ? [{ id: `i${id}`, at }] : []))
      return { items: all.slice(offset, offset + PAGE), isLast: offset + PAGE >= all.length }
    }
    const client: ApiClient = {
      maxPages: 1_000,
      get: answer,
      find: answer,
      forEach: async (items, work) => void (await Promise.all(items.map(work))),
      miss: (what) => void missed.push(what),
      pathOf: (link) => link,
    }
    const list = {
      name: 'incidents',
      most,
      keep: (one: Record<string, unknown>) => one,
      pagingOf: ({ fromMs, toMs }: typeof RANGE) => ({
        first: `/${fromMs}/${toMs}/0`,
        itemsOf: (page: unknown) => (page as { items: unknown }).items,
        nextOf: (page: unknown, number: number) =>
          (page as { isLast: boolean }).isLast ? undefined : `/${fromMs}/${toMs}/${number * PAGE}`,
      }),
    }
    return { client, list, requests, missed }
  }

  it('is read whole, each object once, however many are of one time', async () => {
    const instant = fc.oneof(
      fc.integer({ min: RANGE.fromMs, max: RANGE.toMs - 1 }),
      fc.integer({ min: NOW - 60_000, max: NOW - 1 }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(instant, { maxLength: 80 }), fc.constantFrom(20, 50), async (instants, most) => {
        const { client, list, requests, missed } = clientOf(instants, most)
        const found = await readPast(client, list, RANGE)
        expect(found).toHaveLength(instants.length)
        expect(new Set(found.map(({ id }) => id))).toEqual(new Set(instants.map((_, id) => `i${id}`)))
        expect(missed).toEqual([])
        expect(requests.length).toBeLessThan(200)
      }),
      { numRuns: 50 },
    )
  })

  it('of which too many are of one instant is read as far as it is given out, and noted', async () => {
    const { client, list, missed } = clientOf(Array<number>(50).fill(NOW - 5), 20)
    expect(await readPast(client, list, RANGE)).toHaveLength(20)
    expect(missed).toEqual(['incidents'])
  })
})

/** Past alerts of each tool: as its API has them one by one, and as files that were saved by hand. */
const at = NOW - 3 * DAY_MS
const CASES: Record<string, { lists: Record<string, readonly object[]>; answers: Record<string, unknown>; files: object }> = {
  opsgenie: (() => {
    const listed = {
      id: 'a1',
      alias: 'disk',
      message: 'Disk is full',
      status: 'closed',
      priority: 'P1',
      tags: ['env:prod'],
      createdAt: iso(at),
      updatedAt: iso(at + 60_000),
      integration: { id: 'i1', name: 'Scripts' },
      report: { ackTime: 5_000, closeTime: 60_000, acknowledgedBy: 'ada@example.com' },
    }
    const details = { description: 'of db-1', entity: 'db-1', details: { rack: 'r7' } }
    const notes = [{ note: 'on it', owner: 'ada@example.com', createdAt: iso(at + 7_000) }]
    return {
      lists: { '/v2/alerts': [listed, { ...listed, id: 'a2', status: 'open' }, { ...listed, id: 'a3' }] },
      answers: { '/v2/alerts/a1': { ...listed, ...details }, '/v2/alerts/a1/notes': notes, '/v2/alerts/a2': {} },
      files: {
        'alerts.json': [
          { ...listed, ...details },
          { ...listed, id: 'a2', status: 'open' },
          { ...listed, id: 'a3' },
        ],
        'alerts/a1/notes.json': { data: notes },
      },
    }
  })(),
  pagerduty: (() => {
    const incident = {
      id: 'Q1',
      incident_key: 'db-1/disk/which-is-a-long-one',
      title: 'Disk is full',
      status: 'resolved',
      urgency: 'high',
      created_at: iso(at),
      last_status_change_at: iso(at + 60_000),
      service: { id: 'S1', summary: 'Shop' },
      html_url: 'https://acme.pagerduty.com/incidents/Q1',
      pending_actions: [{ type: 'unacknowledge' }],
    }
    const entries = [
      { id: 'R1', type: 'acknowledge_log_entry', created_at: iso(at + 5_000), agent: { id: 'U0' }, incident: { id: 'Q1' } },
      { id: 'R2', type: 'notify_log_entry', created_at: iso(at + 6_000), incident: { id: 'Q1' } },
    ]
    const notes = [{ id: 'N1', content: 'on it', created_at: iso(at + 7_000), user: { summary: 'Ben' } }]
    return {
      lists: { '/incidents': [incident, { ...incident, id: 'Q2', status: 'triggered' }], '/log_entries': entries },
      answers: { '/incidents/Q1/notes': { notes } },
      files: {
        'incidents.json': { incidents: [incident, { ...incident, id: 'Q2', status: 'triggered' }] },
        'log_entries.json': { log_entries: entries },
        'incidents/Q1/notes.json': { notes },
      },
    }
  })(),
  'grafana-oncall': (() => {
    const group = {
      id: 'I1',
      integration_id: 'C1',
      title: 'Disk is full',
      state: 'resolved',
      created_at: iso(at),
      acknowledged_at: iso(at + 5_000),
      acknowledged_by: 'U1',
      resolved_at: iso(at + 60_000),
      permalinks: { web: 'https://oncall.example.com/alert-groups/I1' },
    }
    const groups = [group, { ...group, id: 'I2', state: 'firing' }]
    return { lists: { '/api/v1/alert_groups': groups }, answers: {}, files: { 'alert_groups.json': { results: groups } } }
  })(),
}

/** The instants between which a request asks for objects, ms. */
const rangeOf = ({ path, query }: ReceivedRequest): [number, number] => {
  if (path === '/v2/alerts') return (query.get('query') ?? '').match(/\d{13}/g)?.map(Number) as [number, number]
  if (path === '/api/v1/alert_groups')
    return (query.get('started_at') ?? '').split('_').map((text) => Date.parse(`${text}Z`)) as [number, number]
  return [Date.parse(query.get('since') ?? ''), Date.parse(query.get('until') ?? '')]
}

const DATA_OF: Record<string, (path: string, items: unknown) => object> = {
  opsgenie: (_path, items) => ({ data: items }),
  pagerduty: (path, items) => ({ [path.slice(1)]: items, more: false }),
  'grafana-oncall': (_path, items) => ({ results: items, next: null }),
}

describe.each(Object.keys(CASES))('past alerts of %s', (name) => {
  const tool = TOOLS[name] as Tool
  const { respond, credentials, files } = (ACCOUNTS[name] as () => SavedAccount)()
  const past = CASES[name] as (typeof CASES)[string]
  const whole: Respond = (request) => {
    const { path } = request
    const all = past.lists[path] as readonly Record<string, unknown>[] | undefined
    if (all) {
      const [from, to] = rangeOf(request)
      const createdMs = (one: Record<string, unknown>) => Date.parse(String(one['created_at'] ?? one['createdAt']))
      return {
        body: DATA_OF[name]?.(
          path,
          all.filter((one) => from <= createdMs(one) && createdMs(one) < to),
        ),
      }
    }
    const own = past.answers[path]
    return own === undefined ? respond(request) : { body: name === 'opsgenie' ? { data: own } : own }
  }

  it('are fetched as they are saved by hand, and only where that is wanted', async () => {
    const double = await startDouble(whole)
    const fetched = async (isWithHistory: boolean) => {
      const folder = join(root, `${name}-${isWithHistory}`)
      const from = { name, tool, base: new URL(double.origin), credentials, isWithHistory }
      const { alerts } = await fetchInto(folder, from, { now: () => NOW, pause: async () => undefined })
      return { alerts, past: tool.history?.(readSourceFiles(folder)) }
    }
    const [without, withPast] = [await fetched(false), await fetched(true)]
    double.close()
    expect(without).toEqual({ alerts: undefined, past: [] })
    const byHand = tool.history?.(new Map([...Object.entries(files), ...Object.entries(past.files)]))
    expect(withPast).toEqual({ alerts: byHand?.length, past: byHand })
  })
})
