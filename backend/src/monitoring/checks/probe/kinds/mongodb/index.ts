import type { DefinitionOf } from '@vedette/shared'
import { converse, pathNameOf } from '../conversation/conversation.ts'
import { readable } from '../conversation/readable.ts'
import type { CheckKind, ProbeFacts } from '../kind.ts'
import { targetOfUrl } from '../url-target.ts'
import type { ReadDocument } from './bson.ts'
import { type Command, createCommands, logIn, RefusedCommand } from './commands.ts'

type MongodbCheck = DefinitionOf<'mongodb'>

/** What a server says of itself, a login if wanted, and a ping. No data are read. */
export const mongodb: CheckKind<MongodbCheck> = {
  type: 'mongodb',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start({ url, options, credentials }, attempt, tools) {
    const target = { url, defaultPort: 27_017, verify: options.verify_tls }
    converse(attempt, tools, { ...target, tls: options.tls === 'required' ? 'implicit' : 'off' }, async (conversation) => {
      const command = createCommands(conversation)
      const { username = '', password = '' } = credentials
      const stating = hello(command).then((state) => report(state, attempt.facts))
      if (username !== '') {
        await stating
        await logIn(command, options.auth_source || pathNameOf(url) || 'admin', username, password)
      }
      const [state, , version] = await Promise.all([stating, command('admin', { ping: 1 }), versionOf(command)])
      if (version !== undefined) attempt.facts.figures['server_version'] = version
      return JSON.stringify(state)
    })
  },
}

const COMMAND_NOT_FOUND = 59

/** Servers before 4.4.2 may not have the newer name. */
async function hello(command: Command): Promise<ReadDocument> {
  try {
    return await command('admin', { hello: 1 })
  } catch (error) {
    if (!(error instanceof RefusedCommand) || error.number !== COMMAND_NOT_FOUND) throw error
    return command('admin', { isMaster: 1 })
  }
}

/** As drivers name the types of servers. */
function roleOf({ msg, setName, isWritablePrimary, ismaster, secondary, arbiterOnly, isreplicaset }: ReadDocument): string {
  const isPrimary = isWritablePrimary === true || ismaster === true
  if (msg === 'isdbgrid') return 'mongos'
  if (isreplicaset === true) return 'uninitialized'
  if (setName === undefined) return 'standalone'
  if (isPrimary) return 'primary'
  if (secondary === true) return 'secondary'
  return arbiterOnly === true ? 'arbiter' : 'other'
}

function report(state: ReadDocument, facts: ProbeFacts): ReadDocument {
  const role = roleOf(state)
  facts.figures['role'] = role
  const { setName } = state
  if (typeof setName === 'string') facts.figures['replica_set'] = readable(setName, 100)
  facts.statusLine = typeof setName === 'string' ? `${role} of ${readable(setName, 100)}` : role
  return state
}

/** Undefined where the server says it only to users. */
async function versionOf(command: Command): Promise<string | undefined> {
  try {
    const { version } = await command('admin', { buildInfo: 1 })
    return typeof version === 'string' ? readable(version, 100) : undefined
  } catch (error) {
    if (error instanceof RefusedCommand) return undefined
    throw error
  }
}
