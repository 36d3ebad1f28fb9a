import { afterAll, describe, expect, it } from 'vitest'
import { type Description, publishedRoutes } from './fuzz/published-routes.ts'
import { startTestBackend } from './harness.ts'

// Before the tests are collected: they are made of the parameters that the app publishes.
const backend = await startTestBackend()
afterAll(() => backend.close())

const integers = publishedRoutes(backend.vedette.app.swagger() as unknown as Description).flatMap(
  ({ method, path, parameters }) =>
    parameters
      .filter(({ in: location, schema }) => location === 'query' && schema.type === 'integer')
      .map(({ name, schema }) => ({ method, path: path.replaceAll(/\{\w+\}/g, 'nobody'), name, least: schema.minimum ?? 0 })),
)

it('the integer parameters of queries are found', () => expect(integers.length).toBeGreaterThan(10))

describe.each(integers)('$method $path?$name', ({ method, path, name, least }) => {
  const callWith = async (value: string) => {
    const owner = await caller
    const { status, body } = await backend.call(method, `${path}?${name}=${encodeURIComponent(value)}`, { as: owner })
    return { status, body }
  }

  it.each(['', ' ', ' 5', '5 ', '+5', '-5', '-0', '5.0', '5.', '.5', '1e1', '1E1', '0x10', '0b11', '0o17', '1_0', '1,0'])(
    'is a 400 for %j, which is not in plain digits',
    async (value) => {
      const { status, body } = await callWith(value)
      expect([status, body.error.code, body.error.details]).toEqual([
        400,
        'validation_error',
        [{ path: name, message: `must be a whole number in decimal digits (sent ${JSON.stringify(value)})` }],
      ])
    },
  )

  it.each(['\u0665', '\uff15', '5\n', '5n', 'true', 'null', 'NaN', 'Infinity', '[5]', '9'.repeat(400), '9007199254740993'])(
    'is a 400 that names the parameter for %j',
    async (value) => {
      const { status, body } = await callWith(value)
      expect([status, body.error.details[0].path]).toEqual([400, name])
    },
  )

  it('accepts plain digits', async () => {
    // The resource may not exist; the number is validated before it is looked up.
    for (const value of [`${least}`, `0${least}`]) expect([200, 404]).toContain((await callWith(value)).status)
  })
})

const caller = backend.organization().then((organization) => backend.member(organization, 'owner'))
