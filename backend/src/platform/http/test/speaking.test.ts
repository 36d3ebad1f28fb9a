import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'

/** Fields in which the server speaks. */
const SPOKEN = new Set(['summary', 'message', 'text', 'reason', 'title'])
/** Types of answers that people read, which are of the language of a reader too. */
const READ_BY_PEOPLE = /^text\/(?:html|markdown)/

/** Paths whose answers have such fields and are the same in every language, each with the reason. */
const OF_OTHERS: Readonly<Record<string, string>> = {
  '/v1/agent/metrics': 'agents read it',
  '/v1/alert-sources': 'its titles are templates that people wrote',
  '/v1/annotations': 'people and programs wrote the texts',
  '/v1/change-sets': 'its summary has numbers',
  '/v1/channels/preview': 'it is the notification, in the language of the organization',
  '/v1/configuration/compare': 'its summary has numbers',
  '/v1/status-pages': 'people wrote the texts, and drafts are in the language of the page',
}

interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
  [keyword: string]: unknown
}
interface Operation {
  parameters?: { $ref?: string }[]
  responses: Record<string, { content?: Record<string, object> }>
}

let backend: TestBackend
let document: { paths: Record<string, Record<string, Operation>>; components: { schemas: object } }
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

const isOfOthers = (path: string) => Object.keys(OF_OTHERS).some((one) => path === one || path.startsWith(`${one}/`))

/** What has sentences of the server in its successes, by method and path, and whether it is in the language of the reader. */
function speaking(): { name: string; path: string; isInLanguage: boolean }[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [], responses }]) => {
      const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
      const types = successes.flatMap(([, { content = {} }]) => Object.keys(content))
      const speaks = types.some((type) => READ_BY_PEOPLE.test(type)) || fieldsOf(successes).some((field) => SPOKEN.has(field))
      const isInLanguage = parameters.some(({ $ref: ref }) => ref?.endsWith('/AcceptLanguage'))
      return speaks ? [{ name: `${method} ${path}`, path, isInLanguage }] : []
    }),
  )
}

describe('what the server says in an answer', () => {
  it('is in the language of the reader on every route, but for what others wrote or programs read', () => {
    const all = speaking()
    const english = all.filter(({ path, isInLanguage }) => !isInLanguage && !isOfOthers(path))
    expect(english.map(({ name }) => name)).toEqual([])
    expect(all.filter(({ isInLanguage }) => isInLanguage).length).toBeGreaterThan(30)
    // A reason that no route needs any more goes.
    const needed = Object.keys(OF_OTHERS).filter((one) => all.some(({ path }) => path === one || path.startsWith(`${one}/`)))
    expect(needed).toEqual(Object.keys(OF_OTHERS))
  })

  it('has its language in the headers of every list', async () => {
    const owner = await backend.member(await backend.organization(), 'owner')
    const headers = {
      ...('authorization' in owner && { authorization: owner['authorization'] }),
      'accept-language': 'de',
    }
    const lists = speaking().filter(
      ({ name, path, isInLanguage }) => name.startsWith('get /v1/') && !path.includes('{') && isInLanguage,
    )
    const spoken: Record<string, boolean> = {}
    for (const { path } of lists) {
      const answer = await backend.vedette.app.inject({ url: path, headers })
      if (answer.statusCode === 200) spoken[path] = answer.headers['content-language'] === 'de'
    }
    expect(Object.keys(spoken)).toEqual(expect.arrayContaining(['/v1/incidents', '/v1/channels', '/v1/reports/uptime']))
    expect(Object.entries(spoken).filter(([, isGerman]) => !isGerman)).toEqual([])
  })
})
