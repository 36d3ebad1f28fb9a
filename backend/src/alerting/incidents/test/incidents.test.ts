import type { Severity } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { decodeId, encodeId, newId } from '../../../platform/ids.ts'
import { openIncident } from '../lifecycle.ts'

const UNKNOWN = 'inc_01h455vb4pex5vsknk084sn02q'

let backend: TestBackend
let organization: TestOrganization
let member: Credentials & { userId: string }
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  member = await backend.member(organization, 'member')
})
afterAll(() => backend.close())

const iso = () => new Date(backend.clock.now()).toISOString()
const call = (method: string, path: string, body?: unknown, as: Credentials = member) =>
  backend.call(method, `/v1/incidents${path}`, { as, body })

/** An incident that opened now, and what it is of. */
async function opened(own = organization, part: { severity?: Severity; name?: string; targetId?: string } = {}) {
  const { severity = 'critical', name = 'Shop', targetId = newId() } = part
  const [id, ruleId] = [newId(), newId()]
  const incident = { id, rule_id: ruleId, target_type: 'monitor', target_id: targetId, target_name: name } as const
  const rest = { severity, summary: `${name} is down`, silenced: false, evidence: { status: 'down' } } as const
  await openIncident(backend.pool.db, own.number, { ...incident, ...rest }, new Date(backend.clock.now()))
  return { id: encodeId('incident', id), ruleId: encodeId('alertRule', ruleId), targetId: encodeId('monitor', targetId) }
}

describe('GET /v1/incidents', () => {
  it('sorts by severity and filters by severity, target, tag, text and time, with counts by status', async () => {
    const own = await backend.organization('Filtered')
    const as = await backend.member(own, 'owner')
    const body = { name: 'Search', url: 'https://search.example.com/', tags: ['web', 'prod'] }
    const monitor = (await backend.call('POST', '/v1/monitors', { as, body })).body.id as string
    const startMs = backend.clock.now()
    const made: Record<string, string> = {}
    for (const [name, severity] of [
      ['first', 'warning'],
      ['second', 'critical'],
      ['third', 'info'],
      ['Ärger', 'warning'],
    ] as const) {
      backend.clock.advance(60_000)
      const targetId = name === 'second' ? decodeId('monitor', monitor) : newId()
      made[name] = (await opened(own, { severity, name, targetId })).id
    }
    const second = iso()
    backend.clock.advance(60_000)
    await call('POST', `/${made['first']}/resolve`, undefined, as)
    await call('POST', `/${made['third']}/acknowledge`, undefined, as)
    const namesOf = async (query: string) =>
      (await call('GET', query, undefined, as)).body.incidents.map(({ target }: { target: { name: string } }) => target.name)
    expect(await namesOf('?sort=severity')).toEqual(['second', 'Ärger', 'first', 'third'])
    expect(await namesOf('?sort=-severity')).toEqual(['third', 'Ärger', 'first', 'second'])
    expect(await namesOf('?sort=opened_at')).toEqual(['first', 'second', 'third', 'Ärger'])
    expect(await namesOf('?severity=warning')).toEqual(['Ärger', 'first'])
    expect(await namesOf('?status=open&status=acknowledged')).toEqual(['Ärger', 'third', 'second'])
    expect(await namesOf(`?target=${monitor}`)).toEqual(['second'])
    expect(await namesOf(`?target=${encodeId('monitor', newId())}`)).toEqual([])
    expect(await namesOf('?tag=web&tag=prod')).toEqual(['second'])
    expect(await namesOf('?tag=web&tag=other')).toEqual([])
    expect(await namesOf(`?q=${encodeURIComponent('äRGER IS')}`)).toEqual(['Ärger'])
    expect(await namesOf('?q=%25')).toEqual([])
    // The first was resolved a minute after the last had opened.
    expect(await namesOf(`?from=${second}&sort=opened_at`)).toEqual(['first', 'second', 'third', 'Ärger'])
    expect(await namesOf(`?from=${iso().replace('Z', '')}Z&sort=opened_at`)).toContain('second')
    backend.clock.advance(1)
    expect(await namesOf(`?from=${iso()}&sort=opened_at`)).toEqual(['second', 'third', 'Ärger'])
    expect(await namesOf(`?to=${new Date(startMs + 120_000).toISOString()}`)).toEqual(['first'])
    const counted = (await call('GET', '?include=counts&status=resolved&severity=warning', undefined, as)).body
    expect([counted.total, counted.counts]).toEqual([1, { open: 1, acknowledged: 0, resolved: 1 }])
  })

  it.each([
    'severity=bad',
    'status=closed',
    'sort=name',
    'tag=',
    'q=',
    'from=today',
    'to=2026-02-30T00:00:00.000Z',
    'include=all',
    'target=',
    'target=nothing',
    'target=inc_0123456789',
  ])('?%s is a 400 that names the parameter', async (query) => {
    const { status, body } = await call('GET', `?${query}`)
    expect([status, body.error.details[0].path.split('.')[0]]).toEqual([400, query.split('=')[0]])
  })

  it('shows an incident with its evidence and timeline, and lists it without [INCIDENT-01, INCIDENT-03]', async () => {
    const { id, ruleId, targetId } = await opened()
    const item = {
      id,
      rule_id: ruleId,
      origin: { type: 'rule', id: ruleId },
      labels: {},
      target: { type: 'monitor', id: targetId, name: 'Shop' },
      status: 'open',
      severity: 'critical',
      summary: 'Shop is down',
      silenced: false,
      parent_id: null,
      story_id: null,
      cause: null,
      flapping: false,
      opened_at: iso(),
      acknowledged_at: null,
      acknowledged_by: null,
      resolved_at: null,
    }
    const timeline = [{ at: iso(), type: 'opened', message: 'Shop is down' }]
    expect((await call('GET', `/${id}`)).body).toEqual({
      ...item,
      evidence: { status: 'down' },
      timeline,
      children: [],
      child_count: 0,
    })
    expect((await call('GET', '')).body.incidents[0]).toEqual(item)
  })

  it('pages newest first, by status, and of the own organization only [INCIDENT-03]', async () => {
    const own = await backend.organization('Paged')
    const as = await backend.member(own, 'member')
    const ids: string[] = []
    for (let count = 0; count < 3; count += 1) {
      backend.clock.advance(1_000)
      ids.unshift((await opened(own)).id)
    }
    await call('POST', `/${ids[1]}/resolve`, undefined, as)
    const list = async (query: string) => (await call('GET', query, undefined, as)).body
    const idsOf = ({ incidents }: { incidents: { id: string }[] }) => incidents.map(({ id }) => id)
    expect(idsOf(await list(''))).toEqual(ids)
    expect(idsOf(await list('?limit=2&page=2'))).toEqual(ids.slice(2))
    expect(idsOf(await list('?status=resolved'))).toEqual([ids[1]])
    expect(await list('?status=open')).toMatchObject({ total: 2 })
    expect((await call('GET', '?status=closed', undefined, as)).status).toBe(400)
  })
})

describe('an incident', () => {
  it('is acknowledged once, with or without a comment [INCIDENT-02, INCIDENT-04]', async () => {
    const { id } = await opened()
    backend.clock.advance(5_000)
    const at = iso()
    const { status, body } = await call('POST', `/${id}/acknowledge`)
    const by = encodeId('user', member.userId)
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ status: 'acknowledged', acknowledged_at: at, acknowledged_by: by, resolved_at: null }),
    ])
    backend.clock.advance(5_000)
    const again = (await call('POST', `/${id}/acknowledge`, { comment: 'still on it' })).body
    expect([again.acknowledged_at, again.timeline.slice(1)]).toEqual([
      at,
      [
        { at, type: 'acknowledged', message: 'acknowledged', user: expect.objectContaining({ id: by }) },
        { at: iso(), type: 'comment', message: 'still on it', user: expect.objectContaining({ id: by }) },
      ],
    ])
  })

  it('names who acknowledged and commented, on its timeline and in the event, until the account is deleted', async () => {
    const own = await backend.organization('Named')
    const as = await backend.member(own, 'member')
    const { db } = backend.pool
    await db.updateTable('app_user').set({ name: 'Ada' }).where('id', '=', as.userId).execute()
    const { email } = await db.selectFrom('app_user').select('email').where('id', '=', as.userId).executeTakeFirstOrThrow()
    const user = { id: encodeId('user', as.userId), email, name: 'Ada' }
    const { id } = await opened(own)
    const { body } = await call('POST', `/${id}/acknowledge`, { comment: 'on it' }, as)
    expect(body.acknowledged_by_user).toEqual(user)
    expect(body.timeline.map(({ type, user: by }: { type: string; user?: object }) => [type, by])).toEqual([
      ['opened', undefined],
      ['acknowledged', user],
      ['comment', user],
    ])
    const event = await db
      .selectFrom('live_event')
      .select('data')
      .where('organization', '=', own.number)
      .where('type', '=', 'incident.acknowledged')
      .executeTakeFirstOrThrow()
    expect(event.data).toMatchObject({ incident: { id }, user })
    await db.deleteFrom('membership').where('user_id', '=', as.userId).execute()
    await db.deleteFrom('app_user').where('id', '=', as.userId).execute()
    const later = (await call('GET', `/${id}`, undefined, await backend.member(own, 'viewer'))).body
    expect(later.acknowledged_by_user).toBeUndefined()
    expect(later.timeline.filter((entry: { user?: object }) => entry.user)).toEqual([])
  })

  it('is resolved once, also by an API key, which is not a user [INCIDENT-02, INCIDENT-04]', async () => {
    const { id } = await opened()
    const key = await backend.apiKey(organization, 'write', 'read')
    expect((await call('POST', `/${id}/acknowledge`, {}, key)).body.acknowledged_by).toBeNull()
    backend.clock.advance(5_000)
    const at = iso()
    const { body } = await call('POST', `/${id}/resolve`, { comment: 'it was the switch' }, key)
    expect(body).toMatchObject({ status: 'resolved', resolved_at: at })
    expect(body.timeline.map(({ type }: { type: string }) => type)).toEqual(['opened', 'acknowledged', 'resolved', 'comment'])
    backend.clock.advance(5_000)
    expect((await call('POST', `/${id}/resolve`)).body).toEqual(body)
    expect((await call('POST', `/${id}/acknowledge`)).body).toEqual(body)
  })

  it('takes comments, also when it is resolved; the audit log has who did what [INCIDENT-05]', async () => {
    const { id } = await opened()
    await call('POST', `/${id}/resolve`)
    const { status, body } = await call('POST', `/${id}/comments`, { comment: 'why?' })
    expect([status, body.status, body.timeline.at(-1)]).toEqual([
      200,
      'resolved',
      { at: iso(), type: 'comment', message: 'why?', user: expect.objectContaining({ id: encodeId('user', member.userId) }) },
    ])
    for (const wrong of [{}, { comment: '' }, { comment: 'x'.repeat(2_001) }, { text: 'a' }])
      expect((await call('POST', `/${id}/comments`, wrong)).status).toBe(400)
    const audit = await backend.pool.db
      .selectFrom('audit_event')
      .select('action')
      .where('target_type', '=', 'incident')
      .orderBy('id')
      .execute()
    expect(audit.map(({ action }) => action).slice(-2)).toEqual(['incident.resolved', 'incident.commented'])
  })

  it('is a 404 where the id is unknown, malformed or of another organization', async () => {
    const { id } = await opened(await backend.organization('Other'))
    for (const one of [id, UNKNOWN, 'nonsense']) {
      expect((await call('GET', `/${one}`)).status).toBe(404)
      for (const verb of ['acknowledge', 'resolve']) expect((await call('POST', `/${one}/${verb}`)).status).toBe(404)
      expect((await call('POST', `/${one}/comments`, { comment: 'a' })).status).toBe(404)
    }
  })
})
