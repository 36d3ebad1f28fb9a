import { PatchServerBody, RegisterBody } from '@vedette/shared'
import { expect } from 'vitest'
import { type Answer, type Credentials, startTestBackend, type TestBackend } from '../harness.ts'
import { type Description, expectPromises, type PublishedRoute, publishedRoutes } from './published.ts'

/** How often each property is tried; the nightly run asks for more. */
export const RUNS = Number(process.env['TEST_FUZZ_RUNS'] ?? 50)

export interface FuzzRequest {
  as?: Credentials
  id?: string
  query?: string
  headers?: Record<string, string>
  body?: unknown
}

/** One backend that is asked all sorts of things, and what it cost. */
export interface World {
  backend: TestBackend
  routes: readonly PublishedRoute[]
  components: Description['components']['schemas']
  /** Credentials that reach every route between them. */
  callers: readonly Credentials[]
  owner: Credentials
  ids(): string[]
  agent: { id: string; as: Credentials }
  /** Asks, and holds the answer to every promise; what was accepted is read back. */
  ask(route: PublishedRoute, request: FuzzRequest): Promise<Answer>
  /** Who signed out, or ended all sessions by a new password, is somebody else afterwards. */
  renew(route: PublishedRoute, answer: Answer): Promise<void>
  cost: Cost
  close(): Promise<void>
}

export async function createWorld(): Promise<World> {
  const backend = await startTestBackend()
  const description = backend.vedette.app.swagger() as unknown as Description
  const organization = await backend.organization()
  const owner = await backend.member(organization, 'owner')
  const agent = await backend.server(organization)
  const foreign = await backend.server(await backend.organization('Other'))
  const callers = [owner, await backend.apiKey(organization, 'admin', 'read', 'write', 'agent'), agent.as, {}]
  let own = await backend.server(organization)
  const cost = createCost()

  async function renew(route: PublishedRoute, { status }: Answer): Promise<void> {
    if (status < 300 && / \/v1\/auth\//.test(route.name)) Object.assign(owner, await backend.member(organization, 'owner'))
  }

  async function ask(route: PublishedRoute, { as = {}, id = '', query = '', headers = {}, body }: FuzzRequest): Promise<Answer> {
    const url = route.path.replace(/\{\w+\}/g, encodeText(id)) + (query && `?${query}`)
    const what = `${route.name} ${describe(body ?? query)}`
    const answer = await cost.measure(what, () => backend.call(route.method, url, { as, body, headers }))
    expect(answer.status, `${what}: ${JSON.stringify(answer.body)}`).toBeLessThan(500)
    expectPromises(answer, route)
    if (route.method === 'DELETE' && answer.status === 204) own = await backend.server(organization)
    await renew(route, answer)
    if (answer.status < 300) await expectKept(route, id, body, answer)
    return answer
  }

  /** Whatever a server told and was taken is what the server is afterwards. */
  async function expectKept(route: PublishedRoute, id: string, body: unknown, answer: Answer): Promise<void> {
    const serverId = keeperOf(route, id, answer)
    if (serverId === undefined) return
    const { body: details } = await backend.call('GET', `/v1/servers/${serverId}`, { as: owner })
    const text = typeof body === 'string' ? body.replace(/^\ufeff/, '') : JSON.stringify(body)
    const sent = JSON.parse(text) as Record<string, unknown>
    for (const [name, value] of Object.entries(sent)) {
      if (name === 'boot_time') expect(Date.parse(details[name]), name).toBe(Date.parse(value as string))
      else if (Object.hasOwn(TOLD, name)) expect(details[name], `${route.name} ${name}`).toEqual(value === 0 ? 0 : value)
    }
  }

  function keeperOf({ name }: PublishedRoute, id: string, { body }: Answer): string | undefined {
    if (name === 'POST /v1/agent/register') return body.server_id
    if (name === 'PUT /v1/agent/facts') return agent.id
    return name === 'PATCH /v1/servers/{id}' ? id : undefined
  }

  return {
    backend,
    routes: publishedRoutes(description),
    components: description.components.schemas,
    callers,
    owner,
    ids: () => [own.id, own.id, own.id, foreign.id],
    agent,
    ask,
    renew,
    cost,
    close: () => backend.close(),
  }
}

/** What a server may tell of itself, or be told. */
const TOLD = { ...RegisterBody.properties, ...PatchServerBody.properties }

/** Percent-encoded as a client would; half a surrogate pair becomes what UTF-8 makes of it. */
export const encodeText = (text: string): string => encodeURIComponent(text.toWellFormed())

function describe(content: unknown): string {
  const text = Buffer.isBuffer(content)
    ? content.toString('latin1')
    : typeof content === 'string'
      ? content
      : (JSON.stringify(content) ?? '')
  return JSON.stringify(text).length > 80
    ? `${JSON.stringify(text.slice(0, 60))}… (${text.length} characters)`
    : JSON.stringify(text)
}

interface Cost {
  measure<T>(name: string, task: () => Promise<T>): Promise<T>
  /** How many were measured. */
  count(): number
  /** The same, and the dearest of them in ms of CPU of this process, all threads. */
  report(): string
}

function createCost(): Cost {
  let count = 0
  let dearest: { ms: number; name: string }[] = []
  return {
    measure: async (name, task) => {
      const before = process.cpuUsage()
      const result = await task()
      const { user, system } = process.cpuUsage(before)
      count += 1
      dearest = [...dearest, { ms: (user + system) / 1000, name }].sort((a, b) => b.ms - a.ms).slice(0, 5)
      return result
    },
    count: () => count,
    report: () => `${count} requests; most CPU: ${dearest.map(({ ms, name }) => `\n  ${ms.toFixed(0)} ms ${name}`).join('')}`,
  }
}
