import { type Static, Type } from 'typebox'
import { LaterTimestamp, PageAnswer, PageQuery, Timestamp } from './wire.ts'

/** How long a deleted resource can be restored. */
export const RESTORABLE_DAYS = 30

export const DeletedQuery = Type.Object(PageQuery, { additionalProperties: false })

export const DeletedFields = {
  deleted_at: Timestamp,
  removed_at: { ...LaterTimestamp, description: 'until when it can be restored; then it is removed with its history' },
}

const DeletedResource = Type.Object({
  id: Type.String({ description: 'its id, as before', examples: ['alr_01m7ynqmvhef3v0qj0h7d9m2cs'] }),
  name: Type.String({ examples: ['Monitor down'] }),
  ...DeletedFields,
})

export const DeletedList = Type.Object(
  { deleted: Type.Array(DeletedResource), ...PageAnswer },
  { $id: 'DeletedList', description: 'A page of what was deleted and can be restored' },
)
export type DeletedList = Static<typeof DeletedList>
