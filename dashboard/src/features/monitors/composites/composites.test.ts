import type { CompositeMemberState, CompositeOptions, MonitorItem } from '@vedette/shared'
import { describe, expect, test } from 'vitest'
import { isUnchecked, isWaiting, shownStatus } from '../../../lib/monitor-status.ts'
import { NEW_MONITOR, toMonitorBody, toMonitorInput, toPatchBody, withType } from '../input.ts'
import { kindOf } from '../kind.ts'
import { targetText } from '../kind-words.ts'
import { toInput } from '../new-input.ts'
import { definitionFaults } from '../plain-faults.ts'
import { compositeOptionText, numberField, RULE_FORMS, newRule, toComposite, toRule, typedComposite, typedRule } from './input.ts'
import { shownState, worstFirst } from './members.ts'

const stored = { id: 'mon_1', name: 'Shop', type: 'composite', tags: [], server_id: null, depends_on: [], active_hours: [] }
const inputOf = (options: CompositeOptions) => toMonitorInput({ ...stored, options } as never)
const MEMBERS: CompositeOptions = {
  members: [
    { type: 'monitor', id: 'mon_2', weight: 3, required: true },
    { type: 'server', tag: 'shop' },
    { type: 'entity', server_id: 'srv_1', kind: 'container', name: 'web' },
  ],
  down_when: { up_below_percent: 50 },
  degraded_when: { down_at_least: 2 },
}

describe('the input of a composite', () => {
  test.each<CompositeOptions>([
    MEMBERS,
    { members: [{ type: 'monitor', tag: 'shop' }], down_when: { all_down: true } },
    { manual_status: 'degraded' },
  ])('keeps what was read: %j', (options) => {
    const said = { active_hours: [], description: null, runbook_url: null, responsible: null, links: [] }
    const body = { name: 'Shop', type: 'composite', tags: [], server_id: null, depends_on: [], ...said, options }
    expect([toMonitorBody(inputOf(options)), toPatchBody(inputOf(options))]).toEqual([body, body])
  })

  test('has its members again after a person has set the status for a while', () => {
    const { options } = inputOf(MEMBERS)
    const manual = { ...options, isManual: true }
    expect(toComposite(manual as never)).toEqual({ manual_status: 'up' })
    expect(toComposite({ ...manual, isManual: false } as never)).toEqual(MEMBERS)
  })

  test('is made of another kind and becomes one', () => {
    const http = { ...NEW_MONITOR, name: 'Shop', url: 'https://shop.example.com/', regions: ['local'] }
    const composite = { ...http, ...withType(http, 'composite') }
    expect(toPatchBody(composite)).toMatchObject({ type: 'composite', options: { members: [], down_when: { down_at_least: 1 } } })
    const fields = ['url', 'regions', 'interval', 'timeout', 'confirmations', 'credentials', 'assertions']
    expect(fields.filter((field) => field in toPatchBody(composite))).toEqual([])
    const checked = { ...inputOf(MEMBERS), ...withType(inputOf(MEMBERS), 'http') }
    expect(toPatchBody(checked)).toMatchObject({ url: '', interval: 60, timeout: 10, confirmations: 2, assertions: [] })
    // Those of the backend: none was chosen.
    expect('regions' in toPatchBody(checked)).toBe(false)
  })

  test('begins with what a tile says', () => {
    expect(toMonitorBody(toInput({ type: 'composite', options: { manual_status: 'up' } })).options).toEqual({
      manual_status: 'up',
    })
    expect(toMonitorBody(toInput({ type: 'composite', options: { down_when: { all_down: true } } })).options).toEqual({
      members: [],
      down_when: { all_down: true },
    })
  })

  test.each([
    [{ ...typedComposite({}) }, { 'options.members': 'Add 1 to 500 members.' }],
    [
      {
        ...typedComposite(MEMBERS),
        members: [{ target: { type: 'monitor', tag: 'a' }, weight: 'heavy', required: false }],
        down_when: { form: 'percent', number: '0' },
        degraded_when: { form: 'count', number: '501' },
      },
      {
        'options.members.0.weight': 'Enter a number from 1 to 1000.',
        'options.down_when.up_below_percent': 'Enter a number above 0 and up to 100.',
        'options.degraded_when.down_at_least': 'Enter a number from 1 to 500.',
      },
    ],
    [{ ...typedComposite({ manual_status: 'up' }) }, {}],
  ])('is refused at the field at fault: %j', (options, faults) => {
    const found = definitionFaults({ ...inputOf({}), options })
    expect(Object.fromEntries(found.map(({ path, message }) => [path, message]))).toEqual(faults)
  })
})

describe('the rule of a composite', () => {
  test.each(RULE_FORMS)('%s keeps its form', (form) => {
    expect(typedRule(toRule(newRule(form)))).toEqual(newRule(form))
    const [name = ''] = Object.keys(toRule(newRule(form)))
    expect(numberField(form) ?? name).toBe(name)
  })

  test.each([
    [{ down_at_least: 1 }, 'one member is down (all must work)', 'one member is not up'],
    [{ all_down: true }, 'all members are down (one must work)', 'no member is up'],
    [{ down_at_least: 3 }, 'at least 3 members are down', 'at least 3 members are not up'],
    [{ up_below_percent: 99.5 }, 'less than 99.5 % are up', 'less than 99.5 % are up'],
    [{ any_required_down: true }, 'a required member is down', 'a required member is not up'],
  ] as const)('%j in words', (rule, down, degraded) => {
    expect([compositeOptionText(rule, 'down_when'), compositeOptionText(rule, 'degraded_when')]).toEqual([down, degraded])
  })

  test('stands in the configuration without the members, which have a list', () => {
    const { optionText } = kindOf('composite')
    expect([optionText?.([], 'members'), optionText?.('degraded', 'manual_status')]).toEqual([undefined, 'Degraded'])
  })
})

const member = (name: string, status: CompositeMemberState['status'], outside: CompositeMemberState['outside'] = null) =>
  ({ type: 'monitor', id: name, name, kind: 'http', server_id: null, status, outside, weight: 1, required: false }) as const

test('members are sorted by what they do to the status, then by name', () => {
  const members = [
    member('up', 'up'),
    member('paused', 'down', 'paused'),
    member('slow', 'degraded'),
    member('b', 'down'),
    member('a', 'down'),
    member('new', 'up', 'not_checked'),
  ]
  expect(worstFirst(members).map(({ name }) => name)).toEqual(['a', 'b', 'slow', 'new', 'paused', 'up'])
  expect(worstFirst(members).map(shownState)).toEqual(['down', 'down', 'degraded', 'pending', 'paused', 'up'])
  expect(shownState(member('a', 'down', 'maintenance'))).toBe('down')
})

test('a composite waits for no check, and is named by its kind where others have an address', () => {
  const of = (type: string, status: MonitorItem['status'] = 'up') => ({ type, status, last_checked_at: null })
  expect([of('http'), of('http', 'paused'), of('heartbeat'), of('composite')].map(shownStatus)).toEqual([
    'pending',
    'paused',
    'pending',
    'up',
  ])
  expect([of('http'), of('http', 'paused'), of('heartbeat'), of('composite')].map(isWaiting)).toEqual([true, false, false, false])
  expect([of('http'), of('composite')].map(isUnchecked)).toEqual([true, false])
  expect(targetText({ type: 'composite' })).toBe('Composite')
})
