import { expect, it } from 'vitest'
import { webhookHeaders } from './standard-webhook.ts'

/** The example that libraries of Standard Webhooks are tested with. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
const BODY = '{"test": 2432232314}'
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='

it('a body is signed as Standard Webhooks require', () => {
  expect(webhookHeaders(ID, 1_614_265_330_999, BODY, [SECRET])).toEqual({
    'webhook-id': ID,
    'webhook-timestamp': '1614265330',
    'webhook-signature': SIGNATURE,
  })
})

it('a body is signed with each of several secrets', () => {
  const other = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  const signature = webhookHeaders(ID, 1_614_265_330_000, BODY, [other, SECRET])['webhook-signature']
  const [first, second, ...more] = signature.split(' ')
  expect([second, more]).toEqual([SIGNATURE, []])
  expect(first).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/)
  expect(first).not.toBe(SIGNATURE)
})

it.each([
  ['the id', webhookHeaders(`${ID}x`, 1_614_265_330_000, BODY, [SECRET])],
  ['the instant', webhookHeaders(ID, 1_614_265_331_000, BODY, [SECRET])],
  ['the body', webhookHeaders(ID, 1_614_265_330_000, `${BODY} `, [SECRET])],
])('%s is part of what is signed', (_, headers) => expect(headers['webhook-signature']).not.toBe(SIGNATURE))
