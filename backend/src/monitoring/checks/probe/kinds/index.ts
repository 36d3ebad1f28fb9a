import { dns } from './dns/index.ts'
import { domain } from './domain/index.ts'
import { ftp } from './ftp/index.ts'
import { grpc } from './grpc/index.ts'
import { http } from './http/index.ts'
import { icmp } from './icmp/index.ts'
import type { CheckKind } from './kind.ts'
import { steps } from './steps/index.ts'
import { ldap } from './ldap/index.ts'
import { rtsp } from './rtsp/index.ts'
import { sip } from './sip/index.ts'
import { snmp } from './snmp/index.ts'
import { udp } from './udp/index.ts'
import { upstream } from './upstream/index.ts'
import { imap } from './imap/index.ts'
import { mongodb } from './mongodb/index.ts'
import { mqtt } from './mqtt/index.ts'
import { mysql } from './mysql/index.ts'
import { ntp } from './ntp/index.ts'
import { postgres } from './postgres/index.ts'
import { radius } from './radius/index.ts'
import { redis } from './redis/index.ts'
import { smtp } from './smtp/index.ts'
import { ssh } from './ssh/index.ts'
import { tcp } from './tcp/index.ts'
import { tls } from './tls/index.ts'
import { websocket } from './websocket/index.ts'

// A kind only receives definitions of its own type, which the type of the list cannot express.
// oxlint-disable-next-line no-explicit-any -- each kind has a definition of its own, and the registry holds them all
export type AnyKind = CheckKind<any>

/** The registry: a new kind is a file or folder, and a line here. */
export const CHECK_KINDS: readonly AnyKind[] = [
  http,
  dns,
  domain,
  ftp,
  grpc,
  icmp,
  imap,
  mongodb,
  mqtt,
  mysql,
  ntp,
  postgres,
  radius,
  redis,
  smtp,
  ssh,
  steps,
  tcp,
  tls,
  websocket,
  ldap,
  rtsp,
  sip,
  snmp,
  udp,
  upstream,
]
