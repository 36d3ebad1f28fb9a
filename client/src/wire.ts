import type * as shared from '@vedette/shared'
import type { Static, TSchema } from 'typebox'

export type { ErrorCode, ErrorDetail } from '@vedette/shared'

/**
 * Types of queries, bodies and answers by the name of their schema: `Wire['ServerDetails']`. The published package has them written
 * out (build/wire-types.ts), because it depends on no other.
 */
export type Wire = {
  [Name in keyof typeof shared as (typeof shared)[Name] extends TSchema ? Name : never]: (typeof shared)[Name] extends TSchema
    ? Static<(typeof shared)[Name]>
    : never
}
