import { describe, expect, it } from 'vitest'
import { methodOf, peopleOf, personRow, withPhones } from './model.ts'

const sms = { id: 'chn_1', name: 'SMS to Ada', type: 'twilio_sms', recipient: '+4915112345678' } as const
const people = peopleOf([{ id: 'usr_ada', email: 'ada@example.com' }], [sms])
const ada = { kind: 'user', id: 'u1', name: ' Ada@example.com' }
const method = (kind: string, to = '') => ({ kind, to })

describe('the row of a person', () => {
  it('is exact where the e-mail of the account is all that there is', () => {
    expect(personRow(ada, people, {})).toMatchObject({ fidelity: 'exact', changes: [] })
    expect(personRow(ada, people, { methods: [method('email', 'ADA@example.com'), method('email')] }).fidelity).toBe('exact')
  })

  it('names the channel of a telephone, whatever the form of its number', () => {
    for (const number of ['49-15112345678', '+49 151 12345678', '+49 15112345678'])
      expect(personRow(ada, people, { methods: [method('sms', number)] })).toMatchObject({
        becomes: ['usr_ada', 'channel:chn_1'],
        fidelity: 'changed',
        changes: [expect.stringMatching(/^the sms to …78 is the channel SMS to Ada, /)],
      })
  })

  it('names what does not come, and no address', () => {
    const methods = [
      method('sms'),
      method('sms'),
      method('voice', '+4915112345678'),
      method('push notification'),
      method('email', 'x@y.z'),
    ]
    expect(personRow(ada, people, { rules: 2, methods })).toMatchObject({
      becomes: ['usr_ada'],
      fidelity: 'partly',
      changes: [
        expect.stringMatching(/^2 sms, voice to …78, push notification, another e-mail than that of the account do not come: /),
        '2 notification rules: a step notifies all contact methods at once',
      ],
    })
    expect(personRow({ ...ada, name: 'ben@example.com' }, people, { rules: 2 })).toMatchObject({
      fidelity: 'refused',
      becomes: [],
    })
  })
})

it('steps that name a person notify the channels of their telephones, and others nobody more', () => {
  const step = (...user_ids: string[]) => ({ user_ids, schedule_ids: [], wait_seconds: 60 })
  const policy = {
    kind: 'escalation_policy' as const,
    ref: 'a',
    spec: { name: 'A', steps: [step('usr_ada', 'usr_ben'), step('usr_ben')] },
  }
  const report = [personRow(ada, people, { methods: [method('sms', '+4915112345678')] })]
  expect(withPhones({ resources: [policy], report }).resources[0]?.spec['steps']).toEqual([
    { ...step('usr_ada', 'usr_ben'), channel_ids: ['chn_1'] },
    step('usr_ben'),
  ])
})

it.each([
  ['sms', 'sms'],
  ['sms-contact-method', 'sms'],
  ['push-notification-contact-method-reference', 'push notification'],
  ['notify-by-phone-call', 'phone call'],
  ['email-contact-method', 'email'],
])('%j of a tool is %j', (type, kind) => expect(methodOf(type, 'x')).toEqual([{ kind, to: 'x' }]))
it('what has no kind is no contact method', () => expect(methodOf('')).toEqual([]))
