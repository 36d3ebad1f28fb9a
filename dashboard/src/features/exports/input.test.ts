import { expect, it } from 'vitest'
import { toBody, toInput, toPatch } from './input.ts'

const input = { ...toInput(undefined), name: 'Store', url: ' https://metrics.example.com/write ' }

it.each([
  ['', {}],
  ['Authorization: Bearer a:b', { Authorization: 'Bearer a:b' }],
  ['\n X-One : 1 \n\nX-Two:2\n', { 'X-One': '1', 'X-Two': '2' }],
  ['Authorization: •••', { Authorization: '•••' }],
  ['word', { word: '' }],
])('headers %j become %j', (headers, expected) => expect(toPatch({ ...input, headers }).headers).toEqual(expected))

it('an export that is edited begins as it is stored', () => {
  const body = toBody({ ...input, headers: 'A: 1\nB: 2' })
  const stored = { ...body, id: 'exp_1', created_at: '', updated_at: '' }
  expect(toBody(toInput(stored as never))).toEqual(body)
})
