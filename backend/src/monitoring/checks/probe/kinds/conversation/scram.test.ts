import { expect, test } from 'vitest'
import { createScram } from './scram.ts'

// RFC 7677, section 3.
const NONCE = 'rOprNGfwEbeRWgbNEkqO'
const CHALLENGE = `r=${NONCE}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`
const FINAL = 'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4='

test('the example of RFC 7677 has the messages that stand there', async () => {
  const scram = createScram('pencil', 'user', NONCE)
  expect(scram.first).toBe(`n,,n=user,r=${NONCE}`)
  expect(await scram.respond(CHALLENGE)).toBe(
    `c=biws,r=${NONCE}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=`,
  )
  expect(() => scram.verify(FINAL)).not.toThrow()
  expect(() => scram.verify(FINAL.replace('6', '7'))).toThrow('could not prove')
})

test.each([
  ['', 'n,,n=,r=nonce'],
  ['a=b,c', 'n,,n=a=3Db=2Cc,r=nonce'],
])('the name %j stands in the first message as %s', (username, first) => {
  expect(createScram('p', username, 'nonce').first).toBe(first)
})

test.each([
  ['r=other,s=AAAA,i=4096', /invalid SCRAM challenge/],
  [`r=${NONCE},s=AAAA,i=4096`, /invalid SCRAM challenge/],
  [`r=${NONCE}x,s=AAAA,i=0`, /iterations/],
  [`r=${NONCE}x,s=AAAA,i=100001`, /iterations/],
])('the challenge %s is refused', async (challenge, message) => {
  await expect(createScram('pencil', 'user', NONCE).respond(challenge)).rejects.toThrow(message)
})
