import { expect, test } from 'vitest'
import * as contract from '../src/index.ts'
import { secretFields } from '../src/secret-fields.ts'

interface Schema {
  $id?: string
  properties?: Record<string, { type?: unknown }>
}

/** Fields of texts with the names of secrets that are none. */
const HARMLESS = new Set([
  'ChannelConfig.public_key',
  'ChannelConfigBody.public_key',
  'ChannelFault.code',
  // Says what makes an alert the same.
  'AlertSourceTemplate.key',
  'EndedAlert.key',
  // Published in the DNS.
  'IdentityProvider.domain_token',
  'PushSubscriptionList.public_key',
])

test('each text of the contract with the name of a secret is marked as one', () => {
  const schemas = Object.values<unknown>(contract).filter((value) => typeof value === 'object' && value !== null) as Schema[]
  const suspects = schemas.flatMap(({ $id, properties = {} }) =>
    Object.entries(properties)
      .filter(([name, { type }]) => /(^|_)(password|secret|token|key|code|codes)$/.test(name) && [type].flat().includes('string'))
      .map(([name]) => `${$id}.${name}`),
  )
  expect(suspects.length).toBeGreaterThan(20)
  expect(suspects.filter((field) => !secretFields().includes(field) && !HARMLESS.has(field))).toEqual([])
})
