import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AlertFixture, createAlertFixture, LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { encodeId, parseId } from '../../../platform/ids.ts'

let backend: TestBackend
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  backend = await startTestBackend({ environment: LOCAL_TARGETS })
})
afterAll(async () => {
  await backend.close()
  await receiver.close()
})

let organization: TestOrganization
let admin: Credentials
let offline: AlertFixture
const CONDITION = { metric: 'status', operator: 'equals', value: 'offline' }
const RULE = { target: { type: 'server' }, condition: CONDITION }
beforeEach(async () => {
  backend.clock.advance(600_000)
  organization = await backend.organization()
  admin = await backend.apiKey(organization, 'admin')
  offline = await createAlertFixture(backend, organization, admin, RULE)
  receiver.received.length = 0
})

interface Host {
  id: string
  name: string
}
const hosts = async (count: number, tags: string[]): Promise<Host[]> => {
  const made: Host[] = []
  for (let index = 0; index < count; index += 1) {
    const { id } = await backend.server(organization)
    await offline.call('PATCH', `/v1/servers/${id}`, { tags })
    made.push({ id: parseId('server', id) as string, name: `web-${index}` })
  }
  return made
}
const opened = (host: Host, own: object = {}, by: AlertFixture = offline): Promise<string> =>
  by.open({ target_type: 'server', target_id: host.id, target_name: host.name, summary: `${host.name} is offline`, ...own })
const openAll = async (of: readonly Host[]): Promise<string[]> => {
  const ids: string[] = []
  for (const host of of) ids.push(await opened(host))
  return ids
}
/** What each message that has arrived since says. */
const arrived = () => {
  const bodies = receiver.received.splice(0).map(({ body }) => JSON.parse(body))
  return bodies.map(({ type, data }) =>
    `${type.slice(9)} ${data.incident.target.name} ${data.story?.incident_count ?? ''}`.trim(),
  )
}
const read = (id: string) => offline.call('GET', `/v1/incidents/${encodeId('incident', id)}`)
const storyIds = async (ids: readonly string[]) => (await Promise.all(ids.map(read))).map(({ story_id: id }) => id)
const BERLIN = { kind: 'shared_tag', text: 'servers with the tag site:berlin are offline' }

describe('servers that fall silent together behind a tag', () => {
  it('are one story once most of them are silent, and late ones join it', async () => {
    const all = await hosts(5, ['site:berlin'])
    await hosts(3, ['site:rome'])
    const ids = await openAll(all.slice(0, 2))
    expect(await storyIds(ids)).toEqual([null, null])
    ids.push(...(await openAll(all.slice(2, 4))))
    backend.clock.advance(600_000)
    ids.push(...(await openAll(all.slice(4))))
    const story = encodeId('incident', ids[0] as string)
    expect(await storyIds(ids)).toEqual(ids.map(() => story))
    expect((await read(ids[4] as string)).cause).toEqual(BERLIN)
    const list = await offline.call('GET', '/v1/incidents?group=story&status=open')
    expect(list).toMatchObject({
      total: 1,
      incidents: [{ id: story, story_id: story, incident_count: 5, affected: { total: 5 }, cause: BERLIN }],
    })
    expect(list.incidents[0].affected.targets.map(({ name }: { name: string }) => name)).toEqual(all.map(({ name }) => name))
    expect((await offline.call('GET', `/v1/incidents?story=${story}`)).total).toBe(5)
    expect((await offline.call('GET', '/v1/incidents')).total).toBe(5)
    const { open_incidents: shown } = await offline.call('GET', '/v1/overview')
    expect(shown).toMatchObject({ total: 5, incidents: [{ id: story, incident_count: 5, affected: { total: 5 } }] })
  })

  it('are no story where half of the servers with the tag are well, or they fall silent one after the other', async () => {
    const all = await hosts(6, ['os:linux'])
    expect(await storyIds(await openAll(all.slice(0, 3)))).toEqual([null, null, null])
    backend.clock.advance(120_000)
    expect(await storyIds(await openAll(all.slice(3, 5)))).toEqual([null, null])
    const list = await offline.call('GET', '/v1/incidents?group=story')
    expect(list).toMatchObject({ total: 5, incidents: list.incidents.map(() => ({ incident_count: 1, affected: { total: 1 } })) })
  })

  it('are notified once, and once of their end, when the last one is back', async () => {
    await offline.channel('webhook', { url: receiver.url })
    const ids = await openAll(await hosts(4, ['site:berlin']))
    await offline.deliver()
    expect(arrived()).toEqual(['opened web-0'])
    for (const id of ids.slice(0, 3)) await offline.resolve(id)
    await offline.deliver()
    expect(arrived()).toEqual([])
    await offline.resolve(ids[3] as string)
    await offline.deliver()
    expect(arrived()).toEqual(['resolved web-0 4'])
    expect(await offline.waiting()).toEqual([])
  })

  it('are one story with one notification and one end where they open and end at once', async () => {
    await offline.channel('webhook', { url: receiver.url })
    const all = await hosts(8, ['site:berlin', 'os:linux'])
    const ids = await Promise.all(all.map((host) => opened(host)))
    await offline.deliver()
    expect(new Set(await storyIds(ids)).size).toBe(1)
    expect(arrived()).toHaveLength(1)
    await Promise.all(ids.map((id) => offline.resolve(id)))
    await offline.deliver()
    expect(arrived()).toEqual([expect.stringMatching(/^resolved web-\d 8$/)])
  })

  it('are acknowledged together', async () => {
    await offline.channel('webhook', { url: receiver.url })
    const ids = await openAll(await hosts(3, ['site:berlin']))
    await offline.deliver()
    arrived()
    await offline.acknowledge(ids[1] as string)
    await offline.deliver()
    expect(arrived()).toEqual(['acknowledged web-0'])
    expect((await Promise.all(ids.map(read))).map(({ status }) => status)).toEqual(ids.map(() => 'acknowledged'))
  })
})

describe('the page of a story', () => {
  it('has one line of time: what changed before, who was notified, people and posts, the same for each incident', async () => {
    await offline.channel('webhook', { url: receiver.url }, 'ops')
    const all = await hosts(4, ['site:berlin'])
    const annotate = (text: string, own: object = {}) => offline.call('POST', '/v1/annotations', { text, ...own })
    await annotate('Switch replaced', { tags: ['site:berlin'], url: 'https://ci.example.com/1' })
    await annotate('Deployed in Rome', { tags: ['site:rome'] })
    backend.clock.advance(60_000)
    const ids = await openAll(all)
    backend.clock.advance(120_000)
    await offline.call('POST', `/v1/incidents/${encodeId('incident', ids[2] as string)}/acknowledge`, { comment: 'The switch' })
    for (const id of ids) await offline.resolve(id)
    const stories = await Promise.all(ids.map((id) => offline.call('GET', `/v1/incidents/${encodeId('incident', id)}/story`)))
    const [story] = stories
    expect(stories.map(({ events }) => events)).toEqual(ids.map(() => story.events))
    expect(story).toMatchObject({
      story_id: encodeId('incident', ids[0] as string),
      title: `4 ${BERLIN.text}`,
      cause: BERLIN,
      status: 'resolved',
      incident_count: 4,
      affected: { total: 4 },
      notified: [{ name: 'ops', type: 'webhook' }],
      has_more: false,
    })
    const texts = story.events.map(({ kind, text, count, url }: { kind: string; text: string; count: number; url: string }) =>
      [kind, count, kind === 'opened' || kind === 'change' ? '' : text, url ?? ''].join(' ').trim(),
    )
    expect(texts).toEqual(
      expect.arrayContaining([
        'annotation 1 Switch replaced https://ci.example.com/1',
        'opened 4',
        'notified 1 ops (webhook)',
        'acknowledged 4 acknowledged',
        'comment 1 The switch',
        expect.stringMatching(/^resolved 4 /),
      ]),
    )
    expect(JSON.stringify(story)).not.toContain('Rome')
    await offline.deliver()
    arrived()
    const times = story.events.map(({ at }: { at: string }) => Date.parse(at))
    expect(times).toEqual(times.toSorted((one: number, other: number) => one - other))
  })

  it('is a post-mortem as Markdown, of an incident that is alone too, and not found elsewhere', async () => {
    const [host] = (await hosts(1, [])) as [Host]
    const path = `/v1/incidents/${encodeId('incident', await opened(host))}/story`
    const answer = await backend.call('GET', `${path}?format=markdown`, { as: admin })
    expect(answer.headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="post-mortem-\d{4}-\d\d-\d\d\.md"$/)
    expect(answer.body).toContain('# web\\-0 is offline\n')
    const other = await backend.apiKey(await backend.organization(), 'admin')
    expect((await backend.call('GET', path, { as: other })).status).toBe(404)
    expect((await backend.call('GET', `${path}?format=pdf`, { as: admin })).status).toBe(400)
  })
})

describe('two rules that say the same of one target', () => {
  it('are one story: the second one is notified where the first was not, and where it is critical', async () => {
    const [host] = (await hosts(1, [])) as [Host]
    await offline.channel('webhook', { url: receiver.url }, 'one')
    const first = await opened(host, { severity: 'warning' })
    const second = await createAlertFixture(backend, organization, admin, RULE)
    await second.call('PATCH', `/v1/alert-rules/${second.ruleId}`, {
      channel_ids: (await second.call('GET', `/v1/alert-rules/${offline.ruleId}`)).channel_ids,
    })
    const same = await opened(host, { severity: 'warning' }, second)
    await offline.deliver()
    expect(arrived()).toEqual(['opened web-0'])
    expect((await read(same)).cause).toEqual({ kind: 'same_target', text: 'several rules on web-0' })
    const third = await createAlertFixture(backend, organization, admin, RULE)
    await third.channel('webhook', { url: receiver.url }, 'other')
    const other = await opened(host, { severity: 'warning' }, third)
    await offline.deliver()
    expect(arrived()).toEqual(['opened web-0'])
    for (const id of [first, same, other]) await offline.resolve(id)
    await offline.deliver()
    expect(arrived()).toEqual(['resolved web-0 3', 'resolved web-0 3'])
    const [low, high] = [await opened(host, { severity: 'warning' }), await opened(host, {}, second)]
    await offline.deliver()
    expect(arrived()).toEqual(['opened web-0', 'opened web-0'])
    for (const id of [low, high]) await offline.resolve(id)
    await offline.deliver()
    expect(arrived()).toEqual(['resolved web-0 2'])
  })

  it('about another metric is alone', async () => {
    const [host] = (await hosts(1, [])) as [Host]
    const cpu = await createAlertFixture(backend, organization, admin, {
      target: { type: 'server' },
      condition: { metric: 'cpu.percent', operator: 'greater_than', value: 90 },
    })
    expect(await storyIds([await opened(host), await opened(host, {}, cpu)])).toEqual([null, null])
  })
})

describe('two targets below one parent with two rules each', () => {
  it('are one story, and each of them is notified once', async () => {
    await offline.channel('webhook', { url: receiver.url })
    const second = await createAlertFixture(backend, organization, admin, RULE)
    const { channel_ids: channels } = await second.call('GET', `/v1/alert-rules/${offline.ruleId}`)
    await second.call('PATCH', `/v1/alert-rules/${second.ruleId}`, { channel_ids: channels })
    const [parent, ...below] = (await hosts(3, [])) as [Host, Host, Host]
    const first = await opened(parent)
    const ids = [first]
    for (const host of below) ids.push(await opened(host, { parent_id: first }), await opened(host, {}, second))
    expect(new Set(await storyIds(ids)).size).toBe(1)
    await offline.deliver()
    expect(arrived().toSorted()).toEqual(['opened web-0', 'opened web-1', 'opened web-2'])
    for (const id of ids) await offline.resolve(id)
    await offline.deliver()
    expect(arrived().toSorted()).toEqual(['resolved web-0', 'resolved web-1 2', 'resolved web-2 2'])
  })
})

describe('a story of an escalation policy', () => {
  it('goes from step to step once, also where its first incident ends', async () => {
    const one = await offline.channel('webhook', { url: receiver.url }, 'one')
    const two = await offline.channel('webhook', { url: receiver.url }, 'two')
    const steps = [{ channel_ids: [one.id], wait_seconds: 300 }, { channel_ids: [two.id] }]
    const { id: policy } = await offline.call('POST', '/v1/escalation-policies', { name: 'Sites', steps })
    await offline.call('PATCH', `/v1/alert-rules/${offline.ruleId}`, { escalation_policy_id: policy, channel_ids: [] })
    const ids = await openAll(await hosts(4, ['site:berlin']))
    await offline.deliver()
    expect(arrived()).toEqual(['opened web-0'])
    await offline.resolve(ids[0] as string)
    backend.clock.advance(301_000)
    await backend.jobs.escalate()
    await offline.deliver()
    expect(arrived()).toEqual(['opened web-1'])
    for (const id of ids.slice(1)) await offline.resolve(id)
    await offline.deliver()
    expect(arrived().toSorted()).toEqual(['resolved web-0 4', 'resolved web-1 4'])
  })
})
