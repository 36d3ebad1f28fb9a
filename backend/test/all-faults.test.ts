import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from './harness.ts'

let backend: TestBackend
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  admin = await backend.apiKey(await backend.organization(), 'admin')
})
afterAll(() => backend.close())

type Body = Record<string, unknown>
/** A fault by the path that reports it: what is merged into the body; undefined removes a field. */
type Faults = Record<string, Body>

const MONITOR = { name: 'Shop', url: 'https://shop.example.com/' }
const MONITOR_FAULTS: Faults = {
  name: { name: 5 },
  nmae: { nmae: 'Shop' },
  url: { url: undefined },
  tags: { tags: 'prod' },
  timeout: { timeout: 50, interval: 30 },
  confirmations: { confirmations: 0 },
  'headers.a b': { headers: { 'a b': 'x' } },
  body: { body: 'x' },
  'options.http_version': { options: { http_version: 'nine' } },
  'assertions.0.value': { assertions: [{ type: 'status_code', operator: 'equals', value: 'fine' }] },
}
const CHANNEL = { name: 'Chat', type: 'telegram', config: { bot_token: '123:abc', chat_id: '-42' } }
const CHANNEL_FAULTS: Faults = {
  name: { name: '' },
  enabled: { enabled: 'yes' },
  nmae: { nmae: 'x' },
  'config.chat_id': { config: { chat_id: undefined } },
  'config.url': { config: { url: 'nowhere' } },
  'config.bot_token': { config: { bot_token: 5 } },
}
const RESOURCES: [string, Body, Faults][] = [
  ['/v1/monitors', MONITOR, MONITOR_FAULTS],
  ['/v1/monitors/test', MONITOR, MONITOR_FAULTS],
  ['/v1/channels', CHANNEL, CHANNEL_FAULTS],
  ['/v1/channels/test', CHANNEL, CHANNEL_FAULTS],
]

const merged = (body: Body, change: Body): Body => {
  const entries = Object.entries(change).map(([name, value]): [string, unknown] => {
    const before = body[name]
    const isNested = typeof before === 'object' && before !== null && typeof value === 'object' && !Array.isArray(value)
    return [name, isNested ? merged(before as Body, value as Body) : value]
  })
  return { ...body, ...Object.fromEntries(entries) }
}

describe.each(RESOURCES)('a body of POST %s', (url, body, faults) => {
  const paths = Object.keys(faults)
  const cases = paths.flatMap((one, index) =>
    paths
      .slice(index + 1)
      .flatMap((other, offset) => [[one, other], ...paths.slice(index + offset + 2).map((third) => [one, other, third])]),
  )
  const refused = async (wrong: readonly string[]) => {
    const sent = wrong.reduce((sum, path) => merged(sum, faults[path] as Body), body)
    const answer = await backend.call('POST', url, { as: admin, body: sent })
    expect(answer.status, JSON.stringify(answer.body)).toBe(400)
    return (answer.body.error.details as { path: string }[]).map(({ path }) => path).toSorted()
  }

  it('is refused with each fault alone', async () => {
    const found: unknown[] = []
    for (const path of paths) found.push(await refused([path]))
    expect(found).toEqual(paths.map((path) => [path]))
  })

  it('is refused with all of two or three faults together', async () => {
    const missed: unknown[] = []
    for (const wrong of cases) {
      const found = await refused(wrong)
      if (JSON.stringify(found) !== JSON.stringify(wrong.toSorted())) missed.push({ wrong, found })
    }
    expect(missed).toEqual([])
  })
})
