import { expect, it } from 'vitest'
import { rowsOf } from './scope.ts'

const columns = ['organization', 'id']
const of = (name: string, organization?: number) => rowsOf({ name, columns } as Parameters<typeof rowsOf>[0], organization)?.where

it.each(['alert_rule', 'channel', 'incident', 'incident_event', 'open_incident', 'alert_signal', 'maintenance_window'])(
  'the rows of %s belong to the export of their organization and to the full export',
  (name) => expect([of(name, 7), of(name)]).toEqual(['organization = 7', 'true']),
)

it('a full export leaves out what settings say of this database alone: imports and exports', () =>
  expect(of('setting')).toBe(`name not in ('import', 'imported', 'last_export')`))

it('pending notifications are not exported with an organization, because both installations would deliver them', () =>
  expect(of('notification_delivery', 7)).toBeUndefined())
