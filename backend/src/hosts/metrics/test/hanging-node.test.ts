import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  type Credentials,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { type PlayedNodes, playNodes } from '../../../../test/playing-nodes.ts'

let backend: TestBackend
let nodes: PlayedNodes
let organizations: TestOrganization[]
let servers: { as: Credentials }[]
const [BROKEN, SOUND] = [1, 2]

beforeAll(async () => {
  backend = await startTestBackend()
  nodes = await playNodes(backend, 'metric_push')
  organizations = await Promise.all(Array.from({ length: 6 }, (_, index) => backend.organization(`O${index}`)))
  for (const [index, { number }] of organizations.entries()) await nodes.assign(number, nodeOf(index))
  servers = await Promise.all(organizations.map((organization) => backend.server(organization)))
})
afterAll(() => backend.close())

/** Organizations of both nodes come by turns. */
const nodeOf = (index: number) => (index % 2 === 0 ? BROKEN : SOUND)
const ofNode = <T>(all: readonly T[], node: number | undefined) => all.filter((_, index) => nodeOf(index) === node)

let agoMs = 0
function push({ as }: { as: Credentials }): Promise<Answer> {
  const at = new Date(backend.clock.now() - (agoMs += 1)).toISOString()
  const body = { batch_id: randomUUID(), sent_at: at, agent_version: '1', samples: [{ at, cpu: { percent: 12.5 } }] }
  return backend.call('POST', '/v1/agent/metrics', { as, body })
}
const pushAll = () => Promise.all(servers.map(push))
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status)

describe.each(['hangs', 'down'] as const)('a node that is %s', (state) => {
  it('fails the pushes of its organizations alone, then refuses them at once, and serves them again when it works', async () => {
    expect(new Set(statuses(await pushAll()))).toEqual(new Set([202]))
    await nodes.setState(BROKEN, state)
    let isOver = false
    const broken = Promise.all(ofNode(servers, BROKEN).map(push)).finally(() => (isOver = true))
    await expect.poll(async () => isOver || (await nodes.waiting()) === 1).toBe(true)
    // While the node is waited for, and afterwards.
    expect(statuses(await Promise.all(ofNode(servers, SOUND).map(push)))).toEqual([202, 202, 202])
    expect(statuses(await broken)).toEqual([503, 503, 503])
    const later = await pushAll()
    expect(statuses(ofNode(later, SOUND))).toEqual([202, 202, 202])
    expect(ofNode(later, BROKEN).map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
      Array.from({ length: 3 }, () => [503, '8']),
    )
    // They did not reach the database.
    expect(await nodes.waiting()).toBe(0)

    await nodes.setState(BROKEN, 'works')
    backend.clock.advance(8_000)
    expect(new Set(statuses(await pushAll()))).toEqual(new Set([202]))
  })
})

it('every push that was acknowledged is stored, and no other', async () => {
  const { rows } = await backend.pool.pg.query<{ organization: number; pushes: number }>(
    'select organization, count(*)::int as pushes from metric_push group by 1',
  )
  const pushesOf = new Map(rows.map(({ organization, pushes }) => [organization, pushes]))
  // Twice before and twice after; those of the sound node twice more in between.
  expect(organizations.map(({ number }) => pushesOf.get(number))).toEqual(
    organizations.map((_, index) => (nodeOf(index) === BROKEN ? 4 : 8)),
  )
})
