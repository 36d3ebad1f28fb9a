import type { IdKind } from '@vedette/shared'
import type { Changing, Creating } from '../../platform/http/index.ts'
import type { RecordHandChange } from './configured.ts'
import { decodeId } from '../../platform/ids.ts'
import type { Caller, Principal } from './principal.ts'

/** What routes need in addition to their services. */
export interface RouteDeps {
  principalOf(request: object): Principal
}

/** The same for routes that create something. */
export interface CreatingRouteDeps extends RouteDeps {
  creating: Creating
}

/** The same for routes that also change one resource. */
export interface ChangingRouteDeps extends CreatingRouteDeps {
  changing: Changing
  /** Stores what is changed by hand; without it nothing of it can be taken back. */
  recordHandChange?: RecordHandChange
}

/** Who sent a request, and from where. */
export const callerOf = ({ principalOf }: RouteDeps, request: { ip: string }): Caller => ({
  principal: principalOf(request),
  ip: request.ip,
})

/** The stored id in the path of a request. */
export const idOf = (kind: IdKind, request: { params: unknown }): string => decodeId(kind, (request.params as { id: string }).id)

/** Of routes whose answers have sentences of the server. */
export const spoken = ({ speaks }: { speaks?: boolean }) => speaks && { speaks }
