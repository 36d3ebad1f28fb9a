import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { createRandom } from './random-configuration.ts'

const ROOT = join(import.meta.dirname, '../../../../..')
const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8')
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(([, text]) => text as string)

let backend: TestBackend
let as: Credentials
let validate: ReturnType<Ajv2020['compile']>
beforeAll(async () => {
  backend = await startTestBackend()
  as = await backend.member(await backend.organization(), 'owner')
  const { body } = await backend.call('GET', '/schemas/configuration.json')
  validate = new Ajv2020({ strict: false, validateFormats: false }).compile(body)
})
afterAll(() => backend.close())

const examples = (): object[] => [
  ...blocks('json').map((text) => JSON.parse(text) as object),
  ...blocks('yaml').flatMap((text) => {
    const documents = parseAllDocuments(text)
    return (Array.isArray(documents) ? documents : []).map((one) => one.toJS() as object)
  }),
]

describe('the examples of the docs', () => {
  it('are valid by the published schema, and can be applied', async () => {
    const resources = examples().filter((one) => 'kind' in one)
    expect(resources.length).toBeGreaterThan(1)
    for (const resource of resources) {
      expect(validate(resource), JSON.stringify(validate.errors)).toBe(true)
      const body = { owner: 'git:docs', resources: [resource] }
      const proposed = await backend.call('POST', '/v1/change-sets', { as, body })
      expect(proposed.body.steps).toMatchObject([{ refused: null }])
      expect((await backend.call('POST', `/v1/change-sets/${proposed.body.id}/apply`, { as })).status).toBe(200)
    }
  })
})

describe('the published schema', () => {
  it('takes what the API takes, of all kinds', () => {
    const random = createRandom(1)
    for (let round = 0; round < 20; round += 1)
      for (const resource of random.configuration())
        expect(validate(resource), JSON.stringify([resource, validate.errors])).toBe(true)
  })

  it.each([
    [{ kind: 'monitor', ref: 'a', spec: { name: 'A', interval: 'often' } }],
    [{ kind: 'monitor', ref: 'a b', spec: { name: 'A' } }],
    [{ kind: 'thing', ref: 'a', spec: {} }],
    [{ kind: 'alert_rule', ref: 'a', spec: { name: 'A', target: { type: 'monitor', id: { ref: 'thing:x' } } } }],
    [{ kind: 'monitor', ref: 'a', spec: { name: 'A', headers: { authorization: { from: 'x' } } } }],
  ])('refuses %j', (resource) => expect(validate(resource)).toBe(false))
})
