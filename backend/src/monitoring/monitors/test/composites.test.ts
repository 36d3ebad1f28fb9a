import { MAX_COMPOSITE_MEMBERS } from '@vedette/shared'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Loose } from '../../../../test/answer.ts'
import { type HeartbeatScene, startHeartbeatScene } from '../../../../test/heartbeat-scene.ts'
import { pagesOf } from '../../../../test/status-pages.ts'

let scene: HeartbeatScene
beforeAll(async () => {
  scene = await startHeartbeatScene()
})
afterAll(() => scene.backend.close())

const sweep = () => scene.backend.jobs.sweepComposites()
const make = async (name: string, options: object, more: object = {}): Promise<Loose> =>
  scene.make({ name, type: 'composite', url: undefined, options, ...more })
/** A person sets its status: a member whose status a test decides. */
const manual = (name: string, status = 'up', more: object = {}) => make(name, { manual_status: status }, more)
const set = async (id: string, status: string) => {
  const answer = await scene.api('PATCH', `/monitors/${id}`, { options: { manual_status: status } })
  expect([answer.status, answer.body.status]).toEqual([200, status])
}
const statusOf = async (id: string): Promise<string> => (await scene.details(id)).status
const on = (...monitors: Loose[]) => monitors.map(({ id }) => ({ type: 'monitor', id }))
const faults = async (options: object, more: object = {}): Promise<string[]> => {
  const { status, body } = await scene.api('POST', '/monitors', { name: 'Refused', type: 'composite', options, ...more })
  return [String(status), ...(body.error?.details ?? []).map((one: Loose) => `${one.path}: ${one.message}`)]
}
const ALL = { all_down: true }

describe('a composite', () => {
  it('follows its members at once, in all levels, and says which are down', async () => {
    const [one, other, third] = [await manual('One'), await manual('Other'), await manual('Third', 'down')]
    const inner = await make('Inner', { members: on(one, other), down_when: { down_at_least: 1 } })
    const outer = await make('Outer', { members: on(inner, third), down_when: ALL })
    expect([inner.status, outer.status]).toEqual(['up', 'degraded'])
    await set(one.id, 'down')
    expect([await statusOf(inner.id), await statusOf(outer.id)]).toEqual(['down', 'down'])
    const { composite } = await scene.details(inner.id)
    expect(composite).toMatchObject({
      reason: '1 of 2 members down: One',
      members_total: 2,
      members: [
        {
          type: 'monitor',
          id: one.id,
          name: 'One',
          kind: 'composite',
          status: 'down',
          outside: null,
          weight: 1,
          required: false,
        },
        { id: other.id, status: 'up' },
      ],
    })
    const { body } = await scene.api('GET', `/monitors/${outer.id}/transitions`)
    expect(body.transitions.map((one: Loose) => [one.from_status, one.to_status, one.reason])).toEqual([
      ['degraded', 'down', '2 of 2 members down: Inner, Third'],
      ['up', 'degraded', '1 of 2 members not up: Third'],
    ])
    await set(one.id, 'up')
    expect([await statusOf(inner.id), await statusOf(outer.id)]).toEqual(['up', 'degraded'])
  })

  it('follows a ping before it is answered, and a missed one', async () => {
    const job = await scene.make()
    const group = await make('Jobs', { members: on(job), down_when: ALL })
    expect(group.composite.reason).toBe('no member counts')
    await scene.ping(job, '/fail')
    expect(await statusOf(group.id)).toBe('down')
    await scene.ping(job)
    expect(await statusOf(group.id)).toBe('up')
    await scene.pass(100)
    await scene.pass(266)
    expect([await statusOf(job.id), await statusOf(group.id)]).toEqual(['down', 'down'])
  })

  it('has no fields of checks, in answers, lists and configurations, and refuses them', async () => {
    const [member, group] = [await manual('Member'), await make('Bare', { manual_status: 'up' })]
    const listed = (await scene.api('GET', '/monitors?q=Bare')).body.monitors[0]
    for (const field of ['url', 'interval', 'timeout', 'regions', 'credentials', 'assertions', 'confirmations'])
      expect([field in group, field in listed]).toEqual([false, false])
    expect(await faults({ members: on(member), down_when: ALL }, { url: 'https://example.com/', interval: 60 })).toEqual([
      '400',
      'url: is a field of checks, which composites do not have',
      'interval: is a field of checks, which composites do not have',
    ])
    expect((await scene.api('POST', `/monitors/${group.id}/check`)).status).toBe(409)
    for (const query of ['sort=status', 'sort=-status', 'sort=status&q=Bare']) {
      const { monitors } = (await scene.api('GET', `/monitors?${query}&limit=100`)).body
      expect(monitors.map(({ id }: Loose) => id)).toContain(group.id)
    }
    const { monitors: states } = (await scene.api('GET', '/overview/states')).body
    expect(states.find(({ id }: Loose) => id === group.id)).toMatchObject({ status: 'up', waiting: false })
    expect(await faults({})).toEqual([
      '400',
      'options.members: must be a list of 1 to 500 members, or manual_status must be there in its place',
      'options.down_when: is required',
    ])
  })

  it('becomes a monitor with checks, and the other way round', async () => {
    const group = await make('Changing', { manual_status: 'down' })
    const checked = await scene.api('PATCH', `/monitors/${group.id}`, { type: 'http', url: 'https://example.com/', options: {} })
    expect(checked.body).toMatchObject({ url: 'https://example.com/', regions: ['local'], interval: 60 })
    const back = await scene.api('PATCH', `/monitors/${group.id}`, { type: 'composite', options: { manual_status: 'up' } })
    expect([back.status, back.body.status, back.body.url]).toEqual([200, 'up', undefined])
  })

  it('refuses members of other organizations, cycles by name, and too many levels', async () => {
    const others = await scene.backend.organization('Other')
    const as = await scene.backend.apiKey(others, 'admin')
    const theirs = (await scene.api('POST', '/monitors', { name: 'Theirs', url: 'https://example.com/' }, as)).body
    for (const id of [theirs.id, 'mon_00000000000000000000000000', 'nonsense'])
      expect(await faults({ members: [{ type: 'monitor', id }], down_when: ALL })).toEqual([
        '400',
        'options.members.0.id: is not a monitor of this organization',
      ])
    const inner = await make('A', { manual_status: 'up' })
    const outer = await make('B', { members: on(inner), down_when: ALL })
    const closing = await scene.api('PATCH', `/monitors/${inner.id}`, { options: { members: on(outer), down_when: ALL } })
    expect(closing.body.error.details).toEqual([
      { path: 'options.members', message: 'closes a cycle of dependencies: A → B → A' },
    ])
    // A member that depends on its group, and a group that has the tag of its members.
    expect((await scene.api('PATCH', `/monitors/${inner.id}`, { depends_on: on(outer) })).status).toBe(400)
    expect(await faults({ members: [{ type: 'monitor', tag: 'own' }], down_when: ALL }, { tags: ['own'] })).toEqual([
      '400',
      'options.members: closes a cycle of dependencies: Refused → Refused',
    ])
    let last = inner
    for (let level = 2; level <= 5; level += 1) last = await make(`Level ${level}`, { members: on(last), down_when: ALL })
    expect(await faults({ members: on(last), down_when: ALL })).toEqual([
      '400',
      'options.members: must not have composites within composites over more than 5 levels',
    ])
  })

  it(`stands for at most ${MAX_COMPOSITE_MEMBERS} members`, async () => {
    const create = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => {
        return { name: `Many ${from + index}`, type: 'composite', options: { manual_status: 'up' }, tags: ['many'] }
      })
    expect((await scene.api('POST', '/monitors/bulk', { create: create(0, MAX_COMPOSITE_MEMBERS) })).status).toBe(200)
    const tagged = { members: [{ type: 'monitor', tag: 'many' }], down_when: { up_below_percent: 99.9 } }
    const group = await make('All of them', tagged)
    await scene.api('POST', '/monitors/bulk', { create: create(MAX_COMPOSITE_MEMBERS, 1) })
    const { composite } = await scene.details(group.id)
    expect([composite.members.length, composite.members_total]).toEqual([MAX_COMPOSITE_MEMBERS, MAX_COMPOSITE_MEMBERS + 1])
    expect(await faults(tagged)).toEqual([
      '400',
      'options.members: must stand for at most 500 members, also through tags; these are 501',
    ])
  })

  it('leaves out members that are paused or in maintenance, and follows tags and windows with its next sweep', async () => {
    const [one, other] = [await manual('First', 'up', { tags: ['shop'] }), await manual('Second', 'down')]
    const group = await make('Shop', { members: [{ type: 'monitor', tag: 'shop' }, ...on(other)], down_when: ALL })
    expect(group.status).toBe('degraded')
    await scene.api('POST', `/monitors/${one.id}/pause`)
    expect(await statusOf(group.id)).toBe('down')
    await scene.api('POST', `/monitors/${one.id}/resume`)
    expect(await statusOf(group.id)).toBe('degraded')
    const now = scene.backend.clock.now()
    const at = (ms: number) => new Date(now + ms).toISOString()
    const window = { name: 'W', target: { type: 'monitor', id: other.id }, starts_at: at(-60_000), ends_at: at(600_000) }
    expect((await scene.api('POST', '/maintenance-windows', window)).status).toBe(201)
    await sweep()
    expect(await statusOf(group.id)).toBe('up')
    await scene.api('PATCH', `/monitors/${one.id}`, { tags: [] })
    // The status stays while nobody counts.
    expect((await scene.details(group.id)).composite.reason).toBe('no member counts')
    expect(await statusOf(group.id)).toBe('up')
    scene.backend.clock.advance(700_000)
    await sweep()
    expect(await statusOf(group.id)).toBe('down')
  })

  it('sums up servers and their parts', async () => {
    const server = await scene.backend.server(scene.organization)
    const group = await make('Hosts', {
      members: [
        { type: 'server', id: server.id },
        { type: 'entity', server_id: server.id, kind: 'container', name: 'web' },
      ],
      down_when: { down_at_least: 1 },
    })
    expect(group.composite.members).toMatchObject([{ type: 'server', id: server.id, outside: 'not_checked' }])
    expect((await scene.api('GET', `/monitors/${group.id}`)).body.options.members[1].server_id).toBe(server.id)
    expect(
      await faults({ members: [{ type: 'entity', server_id: server.id, kind: 'teapot', name: 'x' }], down_when: ALL }),
    ).toEqual([expect.any(String), expect.stringContaining('options.members.0.kind: must be one of container')])
  })

  it('is paused, deleted and restored like any other', async () => {
    const member = await manual('Of a life', 'down')
    const group = await make('Life', { members: on(member), down_when: ALL })
    await scene.api('POST', `/monitors/${group.id}/pause`)
    await set(member.id, 'up')
    expect(await statusOf(group.id)).toBe('paused')
    expect((await scene.api('POST', `/monitors/${group.id}/resume`)).body.status).toBe('up')
    await scene.api('DELETE', `/monitors/${group.id}`)
    await set(member.id, 'down')
    expect((await scene.api('POST', `/monitors/${group.id}/restore`)).body.status).toBe('down')
    await scene.api('DELETE', `/monitors/${member.id}`)
    expect((await scene.details(group.id)).options.members).toEqual([])
    expect(await statusOf(group.id)).toBe('down')
  })

  it('opens an incident by a rule of its own: one for all monitors covers the members already', async () => {
    const [one, other] = [await manual('Rule one'), await manual('Rule other')]
    const group = await make('Rule group', { members: on(one, other), down_when: { down_at_least: 1 } }, { tags: ['groups'] })
    const rule = (name: string, target: object, condition: object, more: object = {}) =>
      scene.api('POST', '/alert-rules', {
        name,
        severity: 'critical',
        target: { type: 'monitor', ...target },
        condition,
        ...more,
      })
    const down = { metric: 'status', operator: 'equals', value: 'down' }
    const several = { metric: 'members_down', operator: 'greater_than', value: 1 }
    expect((await rule('All', {}, down)).status).toBe(201)
    expect((await rule('Groups', { tag: 'groups' }, down)).status).toBe(201)
    expect((await rule('Several', { id: group.id }, several)).status).toBe(201)
    const late = await rule('Late', { id: group.id }, several, { for_seconds: 60 })
    expect(late.body.error.details).toEqual([
      { path: 'for_seconds', message: 'must be 0 for members_down: it counts at each change of a member' },
    ])
    expect((await scene.details(group.id)).alert_rules.map(({ name }: Loose) => name).toSorted()).toEqual(['Groups', 'Several'])
    const open = async () => {
      await scene.backend.jobs.evaluateSignals()
      const { body } = await scene.api('GET', `/incidents?status=open&target=${group.id}`)
      return body.incidents.map((incident: Loose) => incident.summary).toSorted()
    }
    await set(one.id, 'down')
    expect(await open()).toEqual(['Rule group is down: 1 of 2 members down: Rule one'])
    await set(other.id, 'down')
    expect(await open()).toEqual([
      'Rule group is down: 1 of 2 members down: Rule one',
      'Rule group: members down 2 (threshold 1)',
    ])
    await set(other.id, 'up')
    await set(one.id, 'up')
    expect(await open()).toEqual([])
  })

  it('has the status that its members give it, whatever happens to them', async () => {
    const members = [await manual('R0', 'up', { tags: ['r'] }), await manual('R1'), await manual('R2')]
    const group = await make('Random', {
      members: [
        { type: 'monitor', tag: 'r' },
        { ...on(members[1])[0], weight: 3 },
        { ...on(members[2])[0], required: true },
      ],
      down_when: { up_below_percent: 50 },
      degraded_when: { any_required_down: true },
    })
    const states = members.map(() => ({ status: 'up', paused: false, tagged: false }))
    ;(states[0] as { tagged: boolean }).tagged = true
    let expected = 'up'
    const step = fc.record({
      index: fc.nat(2),
      what: fc.constantFrom('up', 'down', 'degraded', 'pause', 'resume', 'tag', 'untag'),
    })
    for (const { index, what } of fc.sample(step, 40)) {
      const [id, state] = [members[index].id, states[index] as (typeof states)[number]]
      if (what === 'pause' || what === 'resume') {
        await scene.api('POST', `/monitors/${id}/${what}`)
        state.paused = what === 'pause'
      } else if (what === 'tag' || what === 'untag') {
        await scene.api('PATCH', `/monitors/${id}`, { tags: what === 'tag' ? ['r'] : [] })
        state.tagged = what === 'tag'
      } else {
        await scene.api('PATCH', `/monitors/${id}`, { options: { manual_status: what } })
        state.status = what
      }
      const counted = states.flatMap((one, at) => {
        const isMember = at > 0 || one.tagged
        return isMember && !one.paused ? [{ ...one, weight: at === 1 ? 3 : 1, required: at === 2 }] : []
      })
      const weight = (all: typeof counted) => all.reduce((sum, one) => sum + one.weight, 0)
      const working = counted.filter(({ status }) => status !== 'down')
      if (counted.length > 0)
        expected =
          weight(working) * 2 < weight(counted)
            ? 'down'
            : counted.some(({ status, required }) => required && status !== 'up')
              ? 'degraded'
              : 'up'
      expect([what, index, await statusOf(group.id)]).toEqual([what, index, expected])
    }
  })

  it('shows its members on a status page where a section says so, by their public names', async () => {
    const [one, other] = [await manual('secret-host-1', 'down'), await manual('secret-host-2')]
    const group = await make('Everything', { members: on(one, other), down_when: ALL })
    const brief = await make('In short', { members: on(one, other), down_when: ALL })
    const pages = pagesOf(scene.backend, scene.organization, scene.admin)
    const publish = async (show: string[]) => {
      const names = { [one.id]: 'Payments', [other.id]: 'Search' }
      const section = { monitors: [group.id], names }
      const plain = { ...section, monitors: [brief.id], name: 'In short', show: ['uptime'] }
      const { slug } = await pages.page({ sections: [{ ...section, name: 'Services', show }, plain] })
      return pages.textOf(`/status/${slug}`)
    }
    const folded = await publish(['uptime', 'members'])
    expect(folded).toMatch(/2 members.*Payments.*Down.*Search.*Operational/s)
    expect(folded.match(/Payments/g)).toHaveLength(1)
    const alone = await publish(['uptime'])
    expect(alone).toContain('Everything')
    for (const name of ['Payments', 'Search', 'secret-host']) expect(alone).not.toContain(name)
    expect(folded).not.toContain('secret-host')
  })

  it('comes from a change set together with its members, and is unchanged when it is planned again', async () => {
    const group = {
      members: [
        { type: 'monitor', id: { ref: 'monitor:leaf' } },
        { type: 'monitor', tag: 'of-a-set', weight: 2 },
      ],
      down_when: { all_down: true },
    }
    const resources = [
      { kind: 'monitor', ref: 'tree', spec: { name: 'Tree', type: 'composite', options: group } },
      { kind: 'monitor', ref: 'leaf', spec: { name: 'Leaf', type: 'composite', options: { manual_status: 'down' } } },
    ]
    const propose = async () => (await scene.api('POST', '/change-sets', { owner: 'git:set', resources })).body
    const planned = await propose()
    const applied = await scene.api('POST', `/change-sets/${planned.id}/apply`)
    expect(applied.status, JSON.stringify(applied.body)).toBe(200)
    const { monitors } = (await scene.api('GET', '/monitors?q=Tree')).body
    expect(monitors).toMatchObject([{ name: 'Tree', status: 'down' }])
    const again = await propose()
    expect([again.steps, again.summary?.unchanged], JSON.stringify(again)).toEqual([[], 2])
  })
})
