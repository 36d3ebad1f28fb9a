import { expect, it } from 'vitest'
import { methodOf, peopleOf, personRow } from './model.ts'

const people = peopleOf([{ id: 'usr_ada', email: 'ada@example.com' }])
const ada = { kind: 'user', id: 'u1', name: ' Ada@example.com' }

it('the row of a person counts what does not come, and names no address', () => {
  expect(personRow(ada, people, { rules: 2, methods: ['sms', 'voice', 'sms'] })).toMatchObject({
    becomes: ['usr_ada'],
    fidelity: 'partly',
    changes: [
      '2 notification rules and contact methods (2 sms, 1 voice) do not come: each person adds contact methods under their profile',
    ],
  })
  expect(personRow(ada, people, {})).toMatchObject({ fidelity: 'exact', changes: [] })
  expect(personRow({ ...ada, name: 'ben@example.com' }, people, { rules: 2 })).toMatchObject({ fidelity: 'refused', becomes: [] })
})

it.each([
  ['sms', ['sms']],
  ['sms-contact-method', ['sms']],
  ['push-notification-contact-method-reference', ['push notification']],
  ['notify-by-phone-call', ['phone call']],
  ['email-contact-method', []],
  ['', []],
])('%j of a tool is %j', (type, methods) => expect(methodOf(type)).toEqual(methods))
