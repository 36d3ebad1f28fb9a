import { type Static, Type } from 'typebox'
import { AuditActor } from '../access/audit.ts'
import { IdOf } from '../wire/ids.ts'
import { InstantText, LaterTimestamp, PageAnswer, PageQuery, Ref, Timestamp, VisibleText } from '../wire/wire.ts'

/** How the checks of an interval count in place of what they did. */
export const RECLASSIFIED_AS = ['maintenance', 'excluded', 'counted'] as const
export type ReclassifiedAs = (typeof RECLASSIFIED_AS)[number]
/** The oldest begin of an interval, days ago. */
export const RECLASSIFY_DAYS = 90
/** Of one monitor. */
export const MAX_RECLASSIFICATIONS = 100
/** Of one report, stats or objective; the newest. */
export const MAX_LISTED_RECLASSIFICATIONS = 1_000
const MAX_COMMENT_LENGTH = 1_000

const FROM = '2026-11-20T09:11:00.000Z'
const TO = '2026-11-20T09:45:00.000Z'
const COMMENT = 'The switch was replaced, as announced'

export const ReclassifiedAsName = Type.Enum([...RECLASSIFIED_AS], {
  $id: 'ReclassifiedAsName',
  description:
    '`maintenance`: out of uptime, availability and objectives, and reported as maintenance; `excluded`: out of them as well; `counted`: in them though a maintenance window covers it',
})

export const CreateReclassificationBody = Type.Object(
  {
    from: InstantText(
      `ISO 8601, inclusive, at most ${RECLASSIFY_DAYS} days ago. Before the last 34 days single checks may be gone: then the start of a UTC day`,
      FROM,
    ),
    to: InstantText('ISO 8601, exclusive, not in the future. Before the last 34 days the start of a UTC day', TO),
    as: Ref(ReclassifiedAsName),
    comment: VisibleText(MAX_COMMENT_LENGTH, { description: 'why', examples: [COMMENT] }),
  },
  { $id: 'CreateReclassificationBody', additionalProperties: false },
)
export type CreateReclassificationBody = Static<typeof CreateReclassificationBody>

export const Reclassification = Type.Object(
  {
    id: IdOf('reclassification'),
    monitor_id: IdOf('monitor'),
    from: { ...Timestamp, examples: [FROM] },
    to: { ...LaterTimestamp, examples: [TO] },
    as: Ref(ReclassifiedAsName),
    comment: Type.String({ examples: [COMMENT] }),
    created_by: Ref(AuditActor),
    created_at: LaterTimestamp,
  },
  {
    $id: 'Reclassification',
    description: 'An interval of a monitor whose checks count differently than they did; the checks stay as they are',
  },
)
export type Reclassification = Static<typeof Reclassification>

export const ReclassificationListQuery = Type.Object(PageQuery, { additionalProperties: false })
export const ReclassificationList = Type.Object(
  { reclassifications: Type.Array(Ref(Reclassification)), ...PageAnswer },
  { $id: 'ReclassificationList', description: 'A page of the reclassified intervals of a monitor, the last in time first' },
)
export type ReclassificationList = Static<typeof ReclassificationList>

/** Of an answer that they changed. */
export const ReclassifiedOf = (what: string) =>
  Type.Optional(
    Type.Array(Ref(Reclassification), {
      description: `reclassified intervals in ${what}, the last in time first, at most ${MAX_LISTED_RECLASSIFICATIONS}; absent where there are none`,
    }),
  )
