import { composite } from './composite.ts'
import { dns } from './dns.ts'
import { domain } from './domain.ts'
import { ftp } from './ftp.ts'
import { grpc } from './grpc.ts'
import { heartbeat } from './heartbeat.ts'
import { http } from './http.ts'
import { icmp } from './icmp.ts'
import type { CheckKindSpec } from './kind.ts'
import { steps } from './steps.ts'
import { ldap } from './ldap.ts'
import { rtsp } from './rtsp.ts'
import { sip } from './sip.ts'
import { snmp } from './snmp.ts'
import { udp } from './udp.ts'
import { upstream } from './upstream.ts'
import { imap } from './imap.ts'
import { mongodb } from './mongodb.ts'
import { mqtt } from './mqtt.ts'
import { mysql } from './mysql.ts'
import { ntp } from './ntp.ts'
import { postgres } from './postgres.ts'
import { radius } from './radius.ts'
import { redis } from './redis.ts'
import { smtp } from './smtp.ts'
import { ssh } from './ssh.ts'
import { tcp } from './tcp.ts'
import { tls } from './tls.ts'
import { websocket } from './websocket.ts'

export { decodedPath } from './common.ts'
export { isTopicFilter } from './mqtt.ts'
export { TEXT_ESCAPES } from './tcp.ts'
export { MAX_SNMP_OIDS, type SnmpOid, snmpOidsIn, SNMP_VALUE_FORMS } from './snmp.ts'
export { type LdapFilter, parseLdapFilter } from './ldap.ts'
export { DNS_RECORD_TYPES, type DnsQuestion, dnsQuestionOf } from './dns.ts'
export { fillIn, MAX_CAPTURES, MAX_STEPS, type Step, type StepCapture, stepsIn } from './steps.ts'
export type {
  CheckKindSpec,
  CredentialSpec,
  CredentialValues,
  FactSpec,
  KindInput,
  LinesForm,
  MapSent,
  OptionSpec,
  OptionValues,
  SentDefinition,
} from './kind.ts'

/**
 * The registry: a new kind is a file and a line here, its check and a line in the backend's registry, and its form, icon and German texts
 * in the dashboard.
 */
export const CHECK_TYPES = {
  http,
  heartbeat,
  composite,
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
} as const satisfies Record<string, CheckKindSpec>

export type CheckTypeId = keyof typeof CHECK_TYPES

/** The description of a kind; undefined for one that this version does not know. */
export const checkKindSpec = (type: string): CheckKindSpec | undefined =>
  Object.hasOwn(CHECK_TYPES, type) ? CHECK_TYPES[type as CheckTypeId] : undefined
