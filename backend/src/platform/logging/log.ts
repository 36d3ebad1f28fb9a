import { CHANNEL_TYPES, type ChannelField } from '@vedette/shared/tables'
import { toTerminalJson } from '@vedette/shared/outside-text'
import { destination, type Level, pino } from 'pino'

/** Structured log: an object of facts, then a sentence. Compatible with pino. */
export interface Log {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

/** Names under which a secret might slip into the facts of a log line, at up to two levels. */
const SECRET_NAMES = [
  'password',
  'token',
  'secret',
  'key',
  'authorization',
  'connectionString',
  'new_password',
  'current_password',
  'recovery_codes',
  'totp_code',
  'accept_url',
  'client_secret',
  'logout_token',
  'calendar_url',
  'ical_url',
  'credentials',
  'ping_key',
  'ping_url',
  'otpauth_url',
  'body',
  'headers',
  'cookie',
  'endpoint',
  'auth',
  ...Object.values(CHANNEL_TYPES).flatMap(({ fields }) => secretNames(fields)),
]

/** Chats have their secret in `url`, a name that also stands for harmless ones. */
function secretNames(fields: Readonly<Record<string, ChannelField>>): string[] {
  return Object.keys(fields).filter(
    (name) => (fields[name]?.isSecret === true || fields[name]?.isCapability === true) && name !== 'url',
  )
}

/** JSON lines on standard error, so that standard output stays for what the command prints. */
export function createLog(level: Level | 'silent') {
  const lines = destination({ dest: 2, sync: true })
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      redact: { paths: [...new Set(SECRET_NAMES)].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    },
    { write: (line: string) => void lines.write(toTerminalJson(line)) },
  )
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
