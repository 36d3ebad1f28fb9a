/** What carries the checks of a kind, as far as the network options depend on it. */
export type Carrier =
  /** Connections over TCP. */
  | 'tcp'
  | 'datagrams'
  /** ICMP. */
  | 'echo'

/** How the checks of a kind use the network, which decides the network options that they have. */
export interface NetworkUse {
  /** Decides by the definition where checks of one kind differ; its URL and options may have faults. */
  carrier: Carrier | ((definition: { url: string; options: Readonly<Record<string, unknown>> }) => Carrier)
  /** Its requests go over HTTP, of a version that may be chosen. */
  isHttp?: true
  /** It offers protocols in a TLS handshake. */
  hasTls?: true
  /** It queries others about its target, and never connects to the host of its URL. */
  isElsewhere?: true
}

export const OVER_TCP = { carrier: 'tcp' } as const satisfies NetworkUse
export const OVER_TLS = { carrier: 'tcp', hasTls: true } as const satisfies NetworkUse
export const OVER_HTTP = { carrier: 'tcp', hasTls: true, isHttp: true } as const satisfies NetworkUse
export const BY_DATAGRAMS = { carrier: 'datagrams' } as const satisfies NetworkUse
