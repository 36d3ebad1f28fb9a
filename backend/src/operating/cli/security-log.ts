import { Value } from 'typebox/value'
import { SecurityEventQuery } from '@vedette/shared'
import { type InstallationSecurityEvent, readInstallationEvents } from '../../access/security-log/index.ts'
import { parseInstant } from '../../platform/time/instant.ts'
import { type Call, type Printer, UsageError } from './command.ts'
import { readDatabase } from './database.ts'

export const securityLog: Printer = {
  name: 'security-log',
  summary: 'print the security log of the whole installation, oldest first; with --json as JSON lines',
  options: {
    from: { type: 'string', value: 'INSTANT', help: 'the start, inclusive, as 2026-11-20T18:00:00Z' },
    to: { type: 'string', value: 'INSTANT', help: 'the end, exclusive' },
    type: { type: 'string', value: 'TYPE', help: 'only events of this type, as sign_in.failed' },
  },
  print: (call, context, { isJson, say }) => {
    const { type } = call.options
    if (type !== undefined && !Value.Check(SecurityEventQuery, { type }))
      throw new UsageError('--type must be a type of event, as sign_in.failed')
    const filter = { from: readInstant(call, 'from'), to: readInstant(call, 'to'), type: type as string | undefined }
    const toLine = isJson ? (event: InstallationSecurityEvent) => JSON.stringify(event) : toColumns
    return readDatabase(context, async (db) => {
      for await (const events of readInstallationEvents(db, filter)) for (const event of events) await say(toLine(event))
    })
  },
}

function readInstant({ options }: Call, name: string): Date | undefined {
  const text = options[name]
  if (text === undefined) return undefined
  const ms = parseInstant(String(text))
  if (ms === undefined) throw new UsageError(`--${name} must be an instant, as 2026-11-20T18:00:00Z`)
  return new Date(ms)
}

/** When, what, who, from where, and the rest. Names come from users: they cannot control the terminal. */
function toColumns({ at, type, actor, ip, organization_id: organization, details }: InstallationSecurityEvent): string {
  const who = actor === null ? '-' : (actor.email ?? actor.name ?? actor.id ?? actor.type)
  const rest = Object.entries(details).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return [at, type.padEnd(28), escapeControls(who), ip ?? '-', organization ?? '-', ...rest.map(escapeControls)].join('  ')
}

/** Control characters, marks of direction and line separators as `\u{1b}`. */
const escapeControls = (text: string): string =>
  text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
