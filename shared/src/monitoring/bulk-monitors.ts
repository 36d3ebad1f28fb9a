import { type Static, Type } from 'typebox'
import { CreateMonitorBody, MonitorDetails } from './monitors.ts'
import { exampleId, IdOf } from '../wire/ids.ts'
import { Ref } from '../wire/wire.ts'

/** Limit of all changes together in one bulk request. */
export const MAX_BULK = 500

/** At most 500 in total, applied together or not at all. */
export const BulkMonitorsBody = Type.Object(
  {
    create: Type.Optional(Type.Array(Ref(CreateMonitorBody), { maxItems: MAX_BULK })),
    update: Type.Optional(
      Type.Array(
        Type.Object(
          { id: Type.String({ maxLength: 200 }), ...Type.Partial(CreateMonitorBody).properties },
          { additionalProperties: false, minProperties: 2 },
        ),
        { maxItems: MAX_BULK },
      ),
    ),
    delete: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: MAX_BULK })),
    pause: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: MAX_BULK })),
    resume: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: MAX_BULK })),
    restore: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: MAX_BULK })),
  },
  {
    $id: 'BulkMonitorsBody',
    description: 'At most 500 in total, each monitor once, applied together or not at all',
    examples: [
      { create: [{ name: 'Blog', url: 'https://blog.example.com/' }], update: [{ id: exampleId('monitor'), interval: 60 }] },
    ],
    additionalProperties: false,
    minProperties: 1,
  },
)
export type BulkMonitorsBody = Static<typeof BulkMonitorsBody>

/** One entry per change, in the order of the request; `monitor` is absent for deletions. */
export const BulkMonitorsAnswer = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        action: Type.Enum(['create', 'update', 'delete', 'pause', 'resume', 'restore']),
        id: IdOf('monitor'),
        monitor: Type.Optional(Ref(MonitorDetails)),
      }),
    ),
  },
  {
    $id: 'BulkMonitorsAnswer',
    description:
      'One result per entry, in the order create, update, delete, pause, resume, restore; `monitor` is absent for deletions',
  },
)
export type BulkMonitorsAnswer = Static<typeof BulkMonitorsAnswer>
