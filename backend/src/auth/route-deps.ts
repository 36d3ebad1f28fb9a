import type { Creating } from '../platform/http/index.ts'
import type { Principal } from './principal.ts'

/** What routes need in addition to their services. */
export interface RouteDeps {
  principalOf(request: object): Principal
}

/** The same for routes that create something. */
export interface CreatingRouteDeps extends RouteDeps {
  creating: Creating
}
