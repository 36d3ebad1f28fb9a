import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'

/** Fields in which the server speaks. */
const SPOKEN = new Set(['summary', 'message', 'text', 'reason', 'title'])
/** Lists in which these fields are of people, of services or of the data of webhooks. */
const OF_OTHERS = new Set([
  '/v1/alert-sources',
  '/v1/annotations',
  '/v1/channels',
  '/v1/contact-methods',
  '/v1/events',
  '/v1/push-subscriptions',
  '/v1/replays',
  '/v1/reports/uptime',
  '/v1/status-pages',
  // Its summary has numbers.
  '/v1/change-sets',
])

interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
  [keyword: string]: unknown
}

let backend: TestBackend
let document: { paths: Record<string, Record<string, { responses: Record<string, object> }>>; components: { schemas: object } }
beforeAll(async () => {
  backend = await startTestBackend()
  document = (await backend.vedette.app.inject('/openapi.json')).json()
})
afterAll(() => backend.close())

/** The names of all fields of an answer. */
function fieldsOf(part: unknown, seen = new Set<unknown>()): string[] {
  if (typeof part !== 'object' || part === null || seen.has(part)) return []
  seen.add(part)
  const { $ref: ref, properties = {} } = part as Schema
  const named =
    ref === undefined ? undefined : (document.components.schemas as Record<string, Schema>)[ref.split('/').at(-1) ?? '']
  return [...Object.keys(properties), ...fieldsOf(named, seen), ...Object.values(part).flatMap((one) => fieldsOf(one, seen))]
}

it('every list with sentences of the server is in the language of the reader', async () => {
  const owner = await backend.member(await backend.organization(), 'owner')
  const headers = {
    ...('authorization' in owner && { authorization: owner['authorization'] }),
    'accept-language': 'de',
  }
  const lists = Object.entries(document.paths).filter(
    ([path, { get }]) =>
      get &&
      path.startsWith('/v1/') &&
      !path.includes('{') &&
      !OF_OTHERS.has(path) &&
      fieldsOf(get.responses['200']).some((field) => SPOKEN.has(field)),
  )
  const spoken: Record<string, boolean> = {}
  for (const [path] of lists) {
    const answer = await backend.vedette.app.inject({ url: path, headers })
    if (answer.statusCode === 200) spoken[path] = answer.headers['content-language'] === 'de'
  }
  expect(Object.keys(spoken)).toContain('/v1/incidents')
  expect(Object.entries(spoken).filter(([, isGerman]) => !isGerman)).toEqual([])
})
