import { expect, it } from 'vitest'
import { rowsOf } from './scope.ts'

const columns = ['organization', 'id']
const of = (name: string, organization?: number) => rowsOf({ name, columns } as Parameters<typeof rowsOf>[0], organization)?.where

it.each(['alert_rule', 'channel', 'incident', 'incident_event', 'open_incident', 'alert_signal', 'maintenance_window'])(
  '%s goes with its organization, and with everything',
  (name) => expect([of(name, 7), of(name)]).toEqual(['organization = 7', 'true']),
)

it('what is to be told does not go with its organization: whoever goes on would be told twice', () =>
  expect(of('telling', 7)).toBeUndefined())
